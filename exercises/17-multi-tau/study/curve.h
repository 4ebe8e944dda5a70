// The correlation curve of a measurement: normalised symmetrically, a mean over sensors, with its error.
//
// Source: K. Schätzel, M. Drewel, S. Stimac, Journal of Modern Optics 35(4), 1988, for the normalisation; T.
// Wohland, R. Rigler, H. Vogel, Biophysical Journal 80(6), 2001, for errors from parts of a measurement.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "measurement.h"

namespace lockstep::multi_tau_study {

/// Where errors come from.
enum class Errors { sensors, time };

/// From so many sensors on their variation gives the errors.
constexpr std::size_t kMinSensors = 8;
/// Fewer parts than these, sensors or blocks, give no error.
constexpr std::size_t kMinParts = 4;
/// A delay is in the curve once each sensor has so many products for it.
constexpr long long kMinProducts = 32;

struct Point {
  int group = 0, position = 0;
  long long delay = 0;      ///< instants
  long long products = 0;   ///< of each sensor
  std::size_t sensors = 0;  ///< with counts
  double value = 0;         ///< G(τ), 0 where counts so far apart know nothing of each other
  double error = 0;         ///< standard error of the value; NaN where there are too few parts
};

struct Curve {
  Errors errors = Errors::sensors;
  std::size_t sensors = 0;  ///< with counts
  std::size_t parts = 0;    ///< sensors with counts, or blocks, that errors come from
  std::vector<Point> points;
};

/// Mean of the products over the product of the means of their factors, less 1. Nothing where there are no
/// products, or one of the means is 0.
inline std::optional<double> normalised(const Edge& from, const Edge& to) {
  if (to.bin <= from.bin) return std::nullopt;
  const auto undelayed = static_cast<double>(to.undelayed - from.undelayed),
             delayed = static_cast<double>(to.delayed - from.delayed);
  if (undelayed == 0 || delayed == 0) return std::nullopt;
  return static_cast<double>(to.bin - from.bin) * static_cast<double>(to.products - from.products) /
             (undelayed * delayed) -
         1;
}

struct MeanAndError {
  std::size_t count = 0;
  double mean = 0, error = 0;
};

/// The mean of some values and its standard error.
inline MeanAndError mean_of(std::span<const double> values) {
  MeanAndError result{values.size(), 0, std::numeric_limits<double>::quiet_NaN()};
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  if (values.size() < kMinParts) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.error = std::sqrt(squares / (count * (count - 1)));
  return result;
}

namespace detail {

/// A mean that is being made, over sensors.
struct Running {
  double sum = 0;
  std::size_t count = 0;
};

/// What one sensor after the other adds to a curve.
class Collected {
 public:
  explicit Collected(const Measurement& measurement)
      : measurement_(measurement),
        values_(static_cast<std::size_t>(measurement.groups() * kPositions)),
        blocks_(measurement.blocks().size() - 1, std::vector<Running>(values_.size())) {}

  void add(std::size_t sensor) {
    std::vector<std::vector<Edge>> ends;  // of blocks, and of the measurement
    for (const Snapshot& snapshot : measurement_.blocks())
      ends.push_back(measurement_.edges(snapshot, sensor));
    ends.push_back(measurement_.edges(measurement_.latest(), sensor));
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Edge begin = measurement_.begin_edge(group_of(i), position_of(i), sensor);
      if (const auto value = normalised(begin, ends.back()[i])) values_[i].push_back(*value);
      for (std::size_t block = 0; block < blocks_.size(); ++block) {
        // The first has few products of long delays, or none.
        if (block == 0 && ends[1][i].bin < 2 * begin.bin) continue;
        const Edge& from = ends[block][i].bin > begin.bin ? ends[block][i] : begin;
        if (const auto value = normalised(from, ends[block + 1][i]))
          blocks_[block][i].sum += *value, ++blocks_[block][i].count;
      }
    }
  }

  std::size_t blocks() const { return blocks_.size(); }
  std::size_t places() const { return values_.size(); }
  /// G of each sensor that has one.
  const std::vector<double>& of_sensors(std::size_t place) const { return values_[place]; }
  /// Its mean over sensors for each block that has one.
  std::vector<double> of_blocks(std::size_t place) const {
    std::vector<double> means;
    for (const std::vector<Running>& block : blocks_)
      if (block[place].count > 0) means.push_back(block[place].sum / static_cast<double>(block[place].count));
    return means;
  }

  static int group_of(std::size_t place) { return static_cast<int>(place) / kPositions; }
  static int position_of(std::size_t place) { return static_cast<int>(place) % kPositions; }

 private:
  const Measurement& measurement_;
  std::vector<std::vector<double>> values_;   ///< by group and position
  std::vector<std::vector<Running>> blocks_;  ///< by block, group and position
};

}  // namespace detail

/// Of all sensors, or of one. Without `errors` they come from the sensors where at least kMinSensors have
/// counts, otherwise from blocks of time. Throws std::runtime_error for sums that no counts have.
inline Curve curve_of(const Measurement& measurement, std::optional<std::size_t> sensor = {},
                      std::optional<Errors> errors = {}) {
  detail::Collected collected(measurement);
  Curve curve;
  for (std::size_t s = 0; s < measurement.sensors(); ++s) {
    if (sensor && s != *sensor) continue;
    collected.add(s);
    if (measurement.latest().totals[s] != 0) ++curve.sensors;
  }
  curve.errors = errors.value_or(curve.sensors >= kMinSensors ? Errors::sensors : Errors::time);
  curve.parts = curve.errors == Errors::sensors ? curve.sensors : collected.blocks();
  for (std::size_t i = 0; i < collected.places(); ++i) {
    const int group = collected.group_of(i), position = collected.position_of(i);
    const long long products = (measurement.latest().elapsed >> group) - last_bin_left_out(group, position);
    const std::vector<double>& values = collected.of_sensors(i);
    if (products < kMinProducts || values.empty()) continue;
    MeanAndError result = mean_of(values);
    // A sum of products is at most the product of the sums of their factors.
    if (!(result.mean >= -1 && result.mean <= static_cast<double>(products)))
      throw std::runtime_error("multi_tau left sums that no counts have: see ./lockstep grade multi-tau");
    if (curve.errors == Errors::time) result.error = mean_of(collected.of_blocks(i)).error;
    curve.points.push_back(
        {group, position, delay_of(group, position), products, values.size(), result.mean, result.error});
  }
  return curve;
}

}  // namespace lockstep::multi_tau_study
