// The reference of "drmsd" as a library, against differences of roots in double: what drmsd.h promises of
// every call, and the digits that the reference keeps of frames that hardly differ from it.
#include "drmsd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"

using Positions = std::vector<float>;
using Vector = std::array<double, 3>;

Vector between(const Positions& positions, std::size_t i, std::size_t j) {
  Vector vector;
  for (int axis = 0; axis < 3; ++axis)
    vector[axis] = double{positions[3 * i + axis]} - double{positions[3 * j + axis]};
  return vector;
}

/// By the difference of squares, which in double loses nothing that matters here.
double exact_drmsd(const Positions& reference, const Positions& frame) {
  const std::size_t n = reference.size() / 3;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const Vector a = between(reference, i, j), b = between(frame, i, j);
      const double lengths = std::hypot(a[0], a[1], a[2]) + std::hypot(b[0], b[1], b[2]);
      double squares = 0;
      for (int axis = 0; axis < 3; ++axis) squares += (a[axis] - b[axis]) * (a[axis] + b[axis]);
      if (lengths > 0) sum += squares / lengths * (squares / lengths);
    }
  }
  return std::sqrt(sum / (0.5 * static_cast<double>(n) * static_cast<double>(n - 1)));
}

/// Of the box along the axes that holds all atoms.
double diagonal(const Positions& positions) {
  double square = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double least = positions[axis], most = least;
    for (std::size_t at = axis; at < positions.size(); at += 3) {
      least = std::min(least, double{positions[at]});
      most = std::max(most, double{positions[at]});
    }
    square += (most - least) * (most - least);
  }
  return std::sqrt(square);
}

double found_drmsd(const Positions& reference, const Positions& frame) {
  const std::size_t bytes = reference.size() * sizeof(float);
  const int n = static_cast<int>(reference.size() / 3);
  const lockstep::DeviceBytes a(bytes), b(bytes), out(sizeof(float)), workspace(drmsd_workspace_bytes(n, 1));
  CHECK_CUDA(cudaMemcpy(a.as<void>(), reference.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(b.as<void>(), frame.data(), bytes, cudaMemcpyHostToDevice));
  drmsd(a.as<float>(), b.as<float>(), out.as<float>(), n, 1, workspace.as<void>(), nullptr);
  float value;
  CHECK_CUDA(cudaMemcpy(&value, out.as<void>(), sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

/// Where a frame lies: as the reference lies, or drifted or turned by a quarter.
enum class Lies { alike, drifted, turned };

struct Error {
  double relative, of_promise;
};

Error error_of(const Positions& reference, const Positions& frame) {
  const double exact = exact_drmsd(reference, frame), off = std::abs(found_drmsd(reference, frame) - exact);
  const double promised = 1e-5 * exact + 0x1p-20 * std::max(diagonal(reference), diagonal(frame)) + 1e-15;
  return {exact == 0 ? (off == 0 ? 0 : std::numeric_limits<double>::infinity()) : off / exact,
          off / promised};
}

class Molecules {
 public:
  /// n atoms in a ball, each moved by up to `amplitude` in the frame.
  Error error(int n, double radius, double amplitude, Lies lies, double from_origin = 0) {
    Positions reference, frame;
    for (int i = 0; i < n; ++i) {
      const std::array<double, 3> at = in_ball(radius);
      for (const double coordinate : at) reference.push_back(static_cast<float>(coordinate + from_origin));
      const std::size_t first = reference.size() - 3;
      std::array<double, 3> moved;
      for (int axis = 0; axis < 3; ++axis) moved[axis] = reference[first + axis] + amplitude * number_();
      if (lies == Lies::turned) moved = {-moved[1], moved[0], moved[2]};
      if (lies == Lies::drifted) moved[0] -= 3 * radius;
      for (const double coordinate : moved) frame.push_back(static_cast<float>(coordinate));
    }
    return error_of(reference, frame);
  }

 private:
  double number_() { return uniform_(generator_); }
  std::array<double, 3> in_ball(double radius) {
    for (;;) {
      const std::array<double, 3> at = {radius * number_(), radius * number_(), radius * number_()};
      if (std::hypot(at[0], at[1], at[2]) <= radius) return at;
    }
  }
  std::mt19937 generator_{15};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

void expect(const std::string& what, Error error, double most_relative) {
  std::printf("%-60s %.1e, %.2f of what is promised\n", what.c_str(), error.relative, error.of_promise);
  if (!(error.of_promise <= 1)) throw std::runtime_error("the promise of drmsd.h is broken");
  if (!(error.relative <= most_relative)) throw std::runtime_error("digits were lost");
}

constexpr double kAnything = std::numeric_limits<double>::infinity();

int main() {
  try {
    Molecules molecules;
    expect("(0 0 0) (50 40 30), and 30.001", error_of({0, 0, 0, 50, 40, 30}, {0, 0, 0, 50, 40, 30.001F}),
           1e-6);
    expect("two in one place, which part", error_of({7, 8, 9, 7, 8, 9}, {7, 8, 9, 7, 8.5F, 9}), 1e-6);
    expect("two that come to one place", error_of({7, 8, 9, 7, 8.5F, 9}, {7, 8, 9, 7, 8, 9}), 1e-6);
    expect("three that change places", error_of({0, 0, 0, 1, 0, 0, 5, 0, 0}, {1, 0, 0, 0, 0, 0, 5, 0, 0}),
           1e-6);
    expect("in metres", error_of({0, 0, 0, 1e-10F, 2e-10F, 0}, {0, 0, 0, 1e-10F, 2.0001e-10F, 0}), 1e-5);
    for (const float tiny : {1e-15F, 1e-17F, 1e-19F, 1e-20F, 1e-30F})
      expect("far below a square root of the smallest float",
             error_of({0, 0, 0, tiny, 0, tiny}, {0, 0, 0, tiny, tiny / 5, tiny}), kAnything);
    for (int k = 0; k < 20; ++k) {
      expect("two atoms 500 apart, moved by 1e-4", molecules.error(2, 250, 1e-4, Lies::alike), 1e-5);
      expect("three atoms, moved by 1e-3", molecules.error(3, 70, 1e-3, Lies::alike), 1e-5);
      expect("two atoms far from the origin", molecules.error(2, 30, 0.05, Lies::alike, 9000), 1e-5);
      expect("two atoms, turned", molecules.error(2, 50, 1e-3, Lies::turned), kAnything);
      expect("two atoms, drifted", molecules.error(2, 50, 1e-3, Lies::drifted), kAnything);
      expect("ten atoms, moved far", molecules.error(10, 50, 10, Lies::alike), 1e-5);
    }
    expect("a ball of radius 10 000, moved by 0.1", molecules.error(500, 10000, 0.1, Lies::alike), 1e-5);
    expect("a ball of radius 50, moved by 1e-3", molecules.error(500, 50, 1e-3, Lies::alike), 1e-5);
    expect("1500 atoms, moved by 1e-4", molecules.error(1500, 100, 1e-4, Lies::alike), 1e-5);
    expect("1500 atoms, moved by 0.2", molecules.error(1500, 100, 0.2, Lies::alike), 1e-5);
    expect("1500 atoms, turned", molecules.error(1500, 100, 1e-3, Lies::turned), kAnything);
    expect("1500 atoms, drifted", molecules.error(1500, 100, 1e-3, Lies::drifted), kAnything);
    expect("nothing has moved", molecules.error(100, 50, 0, Lies::alike), 0);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
