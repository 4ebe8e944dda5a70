// The error of the filter on tracks that are simulated by the model, by scheme of resampling and number of
// particles.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "filter.h"
#include "schemes.h"

namespace lockstep::particle_filter {

constexpr std::size_t kSchemes = kSchemeNames.size();

/// Of one number of particles: squared errors of the position, [scheme][track], the mean over a track.
struct ComparedSize {
  int particles = 0;
  std::array<std::vector<double>, kSchemes> squared{};
  std::array<double, ParticleFilter::kStages> milliseconds{};  ///< with the exercise's function
};

/// A number and its standard error, not finite where there is none.
struct Uncertain {
  double value, standard_error;
};

/// The root of the mean over tracks.
inline Uncertain root_mean(const std::vector<double>& squared) {
  const auto n = static_cast<double>(squared.size());
  double mean = 0, variance = 0;
  for (const double one : squared) mean += one / n;
  for (const double one : squared) variance += (one - mean) * (one - mean) / (n - 1);
  return {std::sqrt(mean), std::sqrt(variance / n) / (2 * std::sqrt(mean))};
}

/// The root of a ratio of means over the same tracks. Its error comes from what each track adds to own -
/// ratio · other, whose mean is 0.
inline Uncertain root_ratio(const std::vector<double>& own, const std::vector<double>& other) {
  const auto n = static_cast<double>(own.size());
  double own_mean = 0, other_mean = 0, squares = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    own_mean += own[i] / n;
    other_mean += other[i] / n;
  }
  const double ratio = own_mean / other_mean;
  for (std::size_t i = 0; i < own.size(); ++i) squares += std::pow(own[i] - ratio * other[i], 2);
  return {std::sqrt(ratio), std::sqrt(squares / (n - 1) / n) / other_mean / (2 * std::sqrt(ratio))};
}

struct Comparison {
  std::size_t runs = 0;
  std::vector<ComparedSize> sizes{};

  void write_csv(std::ostream& out) const;
  void print(const std::string& length_unit, bool is_timed) const;
};

/// Tracks of 40 rows of range and bearing, an interval of 1 apart, from the model's start, or from that of
/// the lecture's tables where it has none. All schemes and sizes follow the same tracks. Throws
/// NoWeights, which names the track and the row, where a measurement leaves no particle a weight.
Comparison compare(FilterSettings settings, const std::vector<int>& sizes, std::size_t runs,
                   double resample_below);

}  // namespace lockstep::particle_filter
