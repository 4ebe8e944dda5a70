#include "judge/median.h"

#include <algorithm>

namespace lockstep::judge {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::pair<double, double> median_interval(std::vector<double> values) {
  constexpr std::size_t kMany = 21;
  std::sort(values.begin(), values.end());
  const std::size_t quarter = values.size() / 4;
  const std::size_t from_end = values.size() < kMany ? std::max<std::size_t>(quarter, 1) : quarter + 1;
  return {values.at(from_end - 1), values.at(values.size() - from_end)};
}

}  // namespace lockstep::judge
