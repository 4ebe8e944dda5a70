// The median of what was measured, and an interval that holds it whatever the distribution of the noise is.
#pragma once

#include <utility>
#include <vector>

namespace lockstep::judge {

/// Of at least one value; of an even number the mean of the two in the middle.
double median(std::vector<double> values);

/// Of at least one value: an interval that misses the median with at most 2 % on each side, from as many
/// values in at either end as that allows: [2, 8] of 9, [4, 12] of 15, [6, 16] of 21; from the least to the
/// largest of fewer than nine. All of fewer than six miss it more often. Source: order statistics, by the
/// binomial distribution.
std::pair<double, double> median_interval(std::vector<double> values);

}  // namespace lockstep::judge
