// Clusters of frames by their distances: the one with the most neighbours and these are the first cluster; it
// is taken out, and the rest gives the next. Source: X. Daura et al., "Peptide folding: when simulation meets
// experiment", Angewandte Chemie International Edition 38, 1999; `gromos` of GROMACS' gmx cluster.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace lockstep {

/// All distances between `frames` frames, f < g, row by row.
struct CondensedMatrix {
  std::size_t frames = 0;
  std::vector<float> values;

  float at(std::size_t f, std::size_t g) const {
    if (f == g) return 0;
    if (f > g) std::swap(f, g);
    return values[f * (2 * frames - f - 1) / 2 + g - f - 1];
  }
};

struct Cluster {
  std::size_t centre = 0;           ///< the frame that has all others within the cutoff
  std::vector<std::size_t> frames;  ///< in order, with the centre
};

/// The largest first. Of frames with equally many neighbours the first is the centre. A frame at the cutoff
/// itself is a neighbour.
inline std::vector<Cluster> clusters_of(const CondensedMatrix& matrix, float cutoff) {
  const std::size_t n = matrix.frames;
  const auto are_near = [&](std::size_t f, std::size_t g) { return matrix.at(f, g) <= cutoff; };
  std::vector<std::size_t> neighbours(n, 0), left(n);
  for (std::size_t f = 0; f < n; ++f) {
    left[f] = f;
    for (std::size_t g = 0; g < n; ++g) neighbours[f] += are_near(f, g) ? 1 : 0;
  }
  std::vector<Cluster> clusters;
  while (!left.empty()) {
    Cluster cluster;
    cluster.centre = *std::max_element(left.begin(), left.end(), [&](std::size_t f, std::size_t g) {
      return neighbours[f] < neighbours[g];
    });
    const auto rest = std::stable_partition(left.begin(), left.end(),
                                            [&](std::size_t f) { return !are_near(cluster.centre, f); });
    cluster.frames.assign(rest, left.end());
    left.erase(rest, left.end());
    // Only frames that remain are counted from here on.
    for (const std::size_t gone : cluster.frames)
      for (const std::size_t f : left) neighbours[f] -= are_near(gone, f) ? 1 : 0;
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

}  // namespace lockstep
