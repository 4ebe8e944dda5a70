// Points on the sky, and bins of the angles between them, for exercises that count pairs: how inputs are
// drawn in double precision, and the edges of the bins as squares of chords.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "lockstep/random.h"

namespace lockstep::sky {

struct Point {
  double alpha = 0, delta = 0;  ///< degrees
};
using Points = std::vector<Point>;
using Vector3 = std::array<double, 3>;

constexpr double kDegree = std::numbers::pi / 180;

inline Vector3 vector_of(Point point) {
  const double alpha = point.alpha * kDegree, delta = point.delta * kDegree;
  return {std::cos(delta) * std::cos(alpha), std::cos(delta) * std::sin(alpha), std::sin(delta)};
}

/// The direction of any vector but 0.
inline Point point_of(const Vector3& v) {
  const double alpha = std::atan2(v[1], v[0]) / kDegree;
  const double delta = std::atan2(v[2], std::hypot(v[0], v[1])) / kDegree;
  const double turned = alpha < 0 ? alpha + 360 : alpha;
  return {turned < 360 ? turned : 0, std::clamp(delta, -90.0, 90.0)};
}

/// In [0, 1), with 53 random bits.
inline double uniform(Random& random) { return static_cast<double>(random.bits() >> 11) * 0x1p-53; }

/// a + factor · b.
inline Vector3 sum(const Vector3& a, double factor, const Vector3& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

inline double product(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Any direction, all equally likely.
inline Vector3 direction(Random& random) {
  const double z = 2 * uniform(random) - 1, alpha = 2 * std::numbers::pi * uniform(random);
  const double radius = std::sqrt(1 - z * z);
  return {radius * std::cos(alpha), radius * std::sin(alpha), z};
}

/// A point at `angle` degrees from another, in any direction.
inline Vector3 at_angle(const Vector3& from, double angle, Random& random) {
  Vector3 across{};
  double length = 0;
  while (length < 0.1) {
    const Vector3 any = direction(random);
    across = sum(any, -product(any, from), from);
    length = std::sqrt(product(across, across));
  }
  const double cosine = std::cos(angle * kDegree), sine = std::sin(angle * kDegree);
  return sum({cosine * from[0], cosine * from[1], cosine * from[2]}, sine / length, across);
}

/// Any point within `radius` degrees of another.
inline Vector3 within(const Vector3& from, double radius, Random& random) {
  // The square of half the chord is uniform on a sphere.
  const double half_chord = std::sin(radius * kDegree / 2) * std::sqrt(uniform(random));
  return at_angle(from, 2 * std::asin(half_chord) / kDegree, random);
}

// --- bins of angles ---

/// Bin k begins at first · 10^(k / per_decade) degrees and ends where the next begins.
struct Bins {
  double first = 0;  ///< degrees
  int per_decade = 1, bins = 1;

  double begin(std::size_t k) const { return first * std::pow(10.0, static_cast<double>(k) / per_decade); }
};

/// A pair of points nearer to an edge than this, by the squares of chords, is no pair for a test.
constexpr double kTooClose = 1.5e-13;

/// The edges of the bins, as squares of chords, and a quick way to find how many of them are not above one.
class Edges {
 public:
  explicit Edges(const Bins& of) {
    for (int k = 0; k <= of.bins; ++k) {
      const long double angle =
          of.first * std::pow(10.0L, static_cast<long double>(k) / of.per_decade) * kDegree;
      const long double half_chord = std::sin(angle / 2);
      squares_.push_back(static_cast<double>(4 * half_chord * half_chord));
    }
    // A cell knows the answer for all squares in it, if no edge is in it or near it.
    constexpr double kMargin = 1e-9;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      const double begin = static_cast<double>(cell) / kCellsOfOne;
      const std::size_t low = up_to(begin - kMargin), high = up_to(begin + 1.0 / kCellsOfOne + kMargin);
      cells_[cell] = low == high ? static_cast<unsigned char>(low) : kLook;
    }
  }

  const std::vector<double>& squares() const { return squares_; }
  std::size_t up_to(double square) const {
    const auto found = std::upper_bound(squares_.begin(), squares_.end(), square);
    return static_cast<std::size_t>(found - squares_.begin());
  }
  /// The same; reports also a square that is too close to an edge.
  template <class TooClose>
  std::size_t up_to(double square, const TooClose& too_close) const {
    const unsigned char known = cells_[static_cast<std::size_t>(square * kCellsOfOne)];
    if (known != kLook) return known;
    const std::size_t found = up_to(square);
    if ((found < squares_.size() && squares_[found] - square < kTooClose) ||
        (found > 0 && square - squares_[found - 1] < kTooClose))
      too_close();
    return found;
  }

 private:
  static constexpr int kCellsOfOne = 256;
  static constexpr unsigned char kLook = 255;

  std::vector<double> squares_;
  std::array<unsigned char, 4 * kCellsOfOne + 2> cells_{};
};

}  // namespace lockstep::sky
