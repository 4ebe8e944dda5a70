// The median of what was measured, and an interval that holds it whatever the distribution of the noise is.
#pragma once

#include <utility>
#include <vector>

namespace lockstep::judge {

/// Of at least one value; of an even number the upper of the two in the middle.
double median(std::vector<double> values);

/// The interval that holds the median of what was drawn with about 96 %: the (n/4)th from either end, for 9
/// or 21 values; for fewer than eight, all of them. Source: order statistics of the binomial distribution,
/// [2, 8] of 9 and [6, 16] of 21.
std::pair<double, double> median_interval(std::vector<double> values);

}  // namespace lockstep::judge
