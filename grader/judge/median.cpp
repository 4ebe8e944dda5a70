#include "judge/median.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep::judge {

double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return values.size() % 2 != 0 ? *upper : (*std::max_element(values.begin(), upper) + *upper) / 2;
}

std::pair<double, double> median_interval(std::vector<double> values) {
  constexpr double kMissedShare = 0.02;  // of missing the median on one side
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  // Values fall below the median or above it as coins do: `probability` of k below, `missed` of at most k.
  double probability = std::pow(0.5, n), missed = probability;
  std::size_t left_out = 0;
  for (std::size_t k = 1; 2 * k < n; ++k) {
    probability *= static_cast<double>(n - k + 1) / static_cast<double>(k);
    missed += probability;
    if (!(missed <= kMissedShare)) break;
    left_out = k;
  }
  return {values.at(left_out), values.at(n - 1 - left_out)};
}

}  // namespace lockstep::judge
