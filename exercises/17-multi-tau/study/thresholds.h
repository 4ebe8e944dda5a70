// How many delays a group should have, Th: the work and the time of multi-tau correlation on the host with
// several, and how far its curve is from that of plain correlation, which has a product for every delay.
//
// multi_tau itself has 32. Groups are its own: with Th delays group g begins at delay Th (2^g - 1), with bins
// of 2^g instants.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "17-multi-tau/correlation.h"

namespace lockstep::multi_tau_study {

/// The numbers of delays per group that are compared.
inline constexpr std::array<int, 6> kThresholds{4, 8, 16, 32, 64, 128};

/// Counts of each sensor, one instant after another.
using Traces = std::vector<std::vector<unsigned char>>;

struct DelayedValue {
  std::size_t delay = 0;  ///< instants
  double value = 0;       ///< G, normalised symmetrically: a mean over sensors
};

/// Groups of `delays` delays that reach a delay of `reach` instants.
constexpr int groups_for(int delays, std::size_t reach) {
  int groups = 1;
  while (static_cast<std::size_t>(delays) * ((std::size_t{1} << groups) - 1) <= reach) ++groups;
  return groups;
}

/// Products that each count takes part in, on average, with delays up to `reach`: those of a group have half
/// as many as those of the group before.
inline double products_per_count(int delays, std::size_t reach) {
  double products = 0;
  for (int g = 0; g < groups_for(delays, reach); ++g) {
    const std::size_t first = static_cast<std::size_t>(delays) * ((std::size_t{1} << g) - 1);
    const std::size_t within = std::min(static_cast<std::size_t>(delays), ((reach - first) >> g) + 1);
    products += std::ldexp(static_cast<double>(within), -g);
  }
  return products;
}

namespace detail {

/// Counts of a sensor up to each instant.
inline std::vector<std::uint64_t> prefix_sums(const std::vector<unsigned char>& trace) {
  std::vector<std::uint64_t> sums(trace.size() + 1, 0);
  for (std::size_t t = 0; t < trace.size(); ++t) sums[t + 1] = sums[t] + trace[t];
  return sums;
}

/// A mean over the sensors that have counts on both sides of a delay; 0 of none.
class Mean {
 public:
  void add(std::size_t products, std::uint64_t sum, std::uint64_t newest, std::uint64_t delayed) {
    if (newest == 0 || delayed == 0) return;
    ++sensors_;
    sum_ += static_cast<double>(products) * static_cast<double>(sum) /
                (static_cast<double>(newest) * static_cast<double>(delayed)) -
            1;
  }
  double value() const { return sensors_ == 0 ? 0 : sum_ / static_cast<double>(sensors_); }

 private:
  double sum_ = 0;
  std::size_t sensors_ = 0;
};

}  // namespace detail

/// Plain correlation: a value for each delay from 0 to `reach`, which is less than the number of instants.
inline std::vector<double> plain_correlation(const Traces& traces, std::size_t reach) {
  std::vector<detail::Mean> means(reach + 1);
  for (const std::vector<unsigned char>& trace : traces) {
    const std::vector<std::uint64_t> sums = detail::prefix_sums(trace);
    const std::size_t instants = trace.size();
    for (std::size_t delay = 0; delay <= reach; ++delay) {
      std::uint64_t sum = 0;
      for (std::size_t t = delay; t < instants; ++t)
        sum += static_cast<unsigned>(trace[t]) * static_cast<unsigned>(trace[t - delay]);
      means[delay].add(instants - delay, sum, sums[instants] - sums[delay], sums[instants - delay]);
    }
  }
  std::vector<double> values;
  for (const detail::Mean& mean : means) values.push_back(mean.value());
  return values;
}

/// Multi-tau correlation with `delays` per group: the values of all delays up to `reach`.
inline std::vector<DelayedValue> multi_tau_correlation(const Traces& traces, int delays, std::size_t reach) {
  const auto per_group = static_cast<std::size_t>(delays);
  std::vector<DelayedValue> values;
  for (int g = 0; g < groups_for(delays, reach); ++g)
    for (std::size_t p = 0; p < per_group; ++p)
      values.push_back({per_group * ((std::size_t{1} << g) - 1) + (p << g), 0});
  while (values.back().delay > reach) values.pop_back();
  std::vector<detail::Mean> means(values.size());
  for (const std::vector<unsigned char>& trace : traces) {
    const std::vector<std::uint64_t> sums = detail::prefix_sums(trace);
    std::vector<std::uint32_t> newest, delayed;
    for (std::size_t i = 0; i < values.size(); i += per_group) {
      // Bins of a group: those that end at its turns, and those that end `start` instants before.
      const std::size_t start = values[i].delay, length = start / per_group + 1;
      const std::size_t bins = trace.size() / length;
      newest.assign(bins + 1, 0), delayed.assign(bins + 1, 0);
      std::size_t first = 0;  // whose delayed bin lies within the measurement
      for (std::size_t k = bins; k > 0 && k * length >= start + length; --k, first = k + 1) {
        const std::size_t end = k * length;
        newest[k] = static_cast<std::uint32_t>(sums[end] - sums[end - length]);
        delayed[k] = static_cast<std::uint32_t>(sums[end - start] - sums[end - start - length]);
      }
      if (first == 0) continue;
      for (std::size_t p = 0; p < per_group && i + p < values.size() && first + p <= bins; ++p) {
        std::uint64_t sum = 0;
        for (std::size_t k = first + p; k <= bins; ++k) sum += std::uint64_t{newest[k]} * delayed[k - p];
        const std::size_t begin = (first + p - 1) * length, past = first * length - start - length,
                          past_end = (bins - p) * length - start;
        means[i + p].add(bins - first - p + 1, sum, sums[bins * length] - sums[begin],
                         sums[past_end] - sums[past]);
      }
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i].value = means[i].value();
  return values;
}

/// The largest share by which bins change a curve of free diffusion, at any delay up to `reach`: a product of
/// two bins is a mean over the pairs of their counts, whose delays make a triangle.
inline double error_of_bins(const DiffusionCurve& curve, int delays, std::size_t reach) {
  double largest = 0;
  for (int g = 0; g < groups_for(delays, reach); ++g) {
    const long long length = 1LL << g;
    // The blur falls with the delay: the first of a group is the worst.
    const long long delay = delays * (length - 1);
    double blurred = 0;
    for (long long shift = 1 - length; shift < length; ++shift)
      blurred +=
          static_cast<double>(length - std::abs(shift)) * curve.decay(static_cast<double>(delay + shift));
    blurred /= static_cast<double>(length * length);
    largest = std::max(largest, std::abs(blurred / curve.decay(static_cast<double>(delay)) - 1));
  }
  return largest;
}

struct ThresholdRow {
  int delays = 0, groups = 0;         ///< 0: plain correlation
  double products = 0;                ///< that each count takes part in
  double seconds = 0;                 ///< of one thread of the host
  double difference = 0;              ///< root of the mean square of differences from plain correlation
  std::optional<double> curve_error;  ///< of the fitted curve, error_of_bins()
};

/// A row for each of kThresholds, and one for plain correlation.
inline std::vector<ThresholdRow> compare_thresholds(const Traces& traces, std::size_t reach,
                                                    const std::optional<DiffusionCurve>& fit) {
  constexpr int kTimes = 5;
  const auto seconds_of = [](int times, auto work) {
    double least = 0;
    for (int i = 0; i < times; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      work();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      least = i == 0 ? seconds : std::min(least, seconds);
    }
    return least;
  };
  std::vector<double> plain;
  const double plain_seconds = seconds_of(1, [&] { plain = plain_correlation(traces, reach); });
  std::vector<ThresholdRow> rows;
  for (const int delays : kThresholds) {
    ThresholdRow row{.delays = delays, .groups = groups_for(delays, reach), .curve_error = {}};
    row.products = products_per_count(delays, reach);
    std::vector<DelayedValue> values;
    row.seconds = seconds_of(kTimes, [&] { values = multi_tau_correlation(traces, delays, reach); });
    double squares = 0;
    for (const DelayedValue& value : values) squares += std::pow(value.value - plain[value.delay], 2);
    row.difference = std::sqrt(squares / static_cast<double>(values.size()));
    if (fit) row.curve_error = error_of_bins(*fit, delays, reach);
    rows.push_back(row);
  }
  rows.push_back({0, 0, static_cast<double>(reach + 1), plain_seconds, 0,
                  fit ? std::optional<double>(0) : std::nullopt});
  return rows;
}

}  // namespace lockstep::multi_tau_study
