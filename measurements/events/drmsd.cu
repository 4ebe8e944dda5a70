// The seconds of one call of drmsd, by events. A size: atoms, frames.
#include "event_time.h"

#include <cmath>
#include <memory>
#include <random>
#include SOLUTION

using namespace event_time;

using Positions = std::vector<float>;  // x, y, z of one atom after the other
using Engine = std::mt19937_64;

/// A compact chain with steps of 3.8, as of a protein: a step out of its ball is taken the other way.
Positions chain(int atoms, Engine& engine) {
  constexpr double kStep = 3.8;
  const double radius = 3 * std::cbrt(atoms);
  std::normal_distribution<double> normal;
  Positions positions;
  double at[3] = {};
  for (int atom = 0; atom < atoms; ++atom) {
    double step[3], length = 0, distance = 0;
    for (double& component : step) {
      component = normal(engine);
      length = std::hypot(length, component);
    }
    for (int axis = 0; axis < 3; ++axis) {
      step[axis] *= kStep / length;
      distance = std::hypot(distance, at[axis] + step[axis]);
    }
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] += distance > radius ? -step[axis] : step[axis];
      positions.push_back(static_cast<float>(at[axis]));
    }
  }
  return positions;
}

/// A reference, and frames in which every atom has wandered a little farther than in the one before.
struct Trajectory {
  Positions reference, frames;
};

Trajectory wandering(int atoms, int frames, unsigned seed) {
  Engine engine(seed);
  std::uniform_real_distribution<float> move(-0.5F, 0.5F);
  Trajectory made;
  Positions now = made.reference = chain(atoms, engine);
  for (int frame = 0; frame < frames; ++frame) {
    for (float& coordinate : now) coordinate += move(engine);
    made.frames.insert(made.frames.end(), now.begin(), now.end());
  }
  return made;
}

Task task_of(const Size& size) {
  const int n = size.number(0), frames = size.number(1);
  const auto contents = std::make_shared<std::vector<Trajectory>>();
  for (unsigned seed = 0; seed < kContents; ++seed) contents->push_back(wandering(n, frames, seed));
  const double atoms = n, pairs = atoms * (atoms - 1) / 2 * frames;
  // A distance takes 7 operations and is needed in the frame and, once for all frames, in the reference.
  const Cost cost{.bytes = (3 * atoms * (frames + 1) + frames) * sizeof(float),
                  .operations = 7 * (pairs + pairs / frames) + 2 * pairs};
  const auto make_call = [=](unsigned seed) {
    const Trajectory& content = (*contents)[seed % kContents];
    const auto* const reference = copied(content.reference);
    const auto* const trajectory = copied(content.frames);
    auto* const out = allocate<float>(frames);
    auto* const workspace = allocate<unsigned char>(drmsd_workspace_bytes(n, frames));
    return [=](cudaStream_t stream) { drmsd(reference, trajectory, out, n, frames, workspace, stream); };
  };
  return {cost, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
