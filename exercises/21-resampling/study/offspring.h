// How many copies particles get, beside how many they should: bias and error of a scheme of resampling, and
// what theory says of its error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <ostream>
#include <vector>

#include "filter.h"
#include "lockstep/random.h"
#include "schemes.h"

namespace lockstep::particle_filter {

/// A standard normal number, of Box and Muller.
inline double normal(Random& random) {
  constexpr double kSmallest = 0x1p-32;
  const double length = std::sqrt(-2 * std::log((random.word() + 1.0) * kSmallest));
  return length * std::cos(2 * std::numbers::pi * random.word() * kSmallest);
}

/// exp(-(x - y)² / 2) of normal numbers x: the weights of Dülger and others, up to a factor.
inline std::vector<float> likelihoods(std::size_t n, double y, Random& random) {
  std::vector<float> weights;
  for (std::size_t i = 0; i < n; ++i) {
    const double distance = normal(random) - y;
    weights.push_back(static_cast<float>(std::exp(-distance * distance / 2)));
  }
  return weights;
}

/// The copies that n particles expect: n w / Σw.
inline std::vector<double> expected_copies(const std::vector<float>& weights) {
  double sum = 0;
  for (const float weight : weights) sum += double{weight};
  std::vector<double> expected;
  for (const float weight : weights) expected.push_back(static_cast<double>(weights.size()) * weight / sum);
  return expected;
}

/// The mean of (O - e)² over all particles, where they get O copies and expect e; NaN of the exercise's own
/// function, which may follow any procedure. Copies of a scheme are sums of independent draws, except those
/// of systematic resampling, whose O is one of the two integers next to e.
inline double expected_error(Scheme scheme, const std::vector<double>& expected) {
  const auto n = static_cast<double>(expected.size());
  double sum = 0, up_to = 0, left = n;
  for (const double e : expected) left -= std::floor(e);
  for (const double e : expected) {
    const double part = e - std::floor(e);
    if (scheme == Scheme::multinomial) sum += e * (1 - e / n);
    if (scheme == Scheme::systematic) sum += part * (1 - part);
    if (scheme == Scheme::residual && part > 0) sum += part * (1 - part / left);
    if (scheme == Scheme::stratified) {
      // The parts of [up_to, up_to + e] in each interval from one integer to the next.
      const double end = up_to + e;
      for (double from = up_to; from < end;) {
        const double to = std::min(std::floor(from) + 1, end);
        sum += (to - from) * (1 - (to - from));
        from = to;
      }
      up_to = end;
    }
  }
  return scheme == Scheme::exercise ? NAN : sum / n;
}

/// With weights at a distance y from what was seen.
struct OffspringRow {
  int y = 0;
  Scheme scheme{};
  double bias_squared = 0;               ///< of the mean over runs, less the noise that such a mean has
  double error = 0, standard_error = 0;  ///< the mean of (O - e)², and its standard error
  double theory = 0;                     ///< of the error, for the same weights
};

struct OffspringTable {
  int particles = 0;
  std::size_t runs = 0;
  std::vector<OffspringRow> rows{};

  void write_csv(std::ostream& out) const;
  void print() const;
};

/// The steps that chains need for a relative bias of 0.01 with y = 0 … 4.
constexpr int kStepsFor[] = {4, 6, 16, 60, 354};
constexpr std::size_t kSets = 16;  ///< of weights, as Dülger and others have

/// Draws ancestors on the device, `runs` times for each scheme and set of weights.
OffspringTable tabulate_offspring(const FilterSettings& settings, std::size_t runs);

}  // namespace lockstep::particle_filter
