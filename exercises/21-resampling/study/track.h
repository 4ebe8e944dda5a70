// Measurements of a target out of a CSV file.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/text.h"

namespace lockstep::particle_filter {

constexpr std::size_t kMaxRows = 1'000'000;
constexpr std::size_t kMaxLine = 1 << 20;  ///< bytes
constexpr double kMaxValue = 1e9;          ///< of what a file holds, by its absolute value
constexpr double kMaxTime = 1e12;          ///< of its times, which may be Unix time stamps

/// A row of the file; NaN: not measured, or not known.
struct Row {
  std::size_t line = 0;  ///< of the file, from 1
  double time = 0;
  double range = NAN, bearing = NAN;  ///< radians, anticlockwise from the direction of x
  double x = NAN, y = NAN;            ///< a position that was measured itself
  double sensor_x = 0, sensor_y = 0;
  double true_x = NAN, true_y = NAN;

  bool is_empty() const { return std::isnan(range) && std::isnan(bearing) && std::isnan(x); }
  bool has_truth() const { return !std::isnan(true_x); }
  /// Where the measurement puts the target by itself; NaN where it does not.
  std::pair<double, double> position() const {
    if (!std::isnan(x)) return {x, y};
    return {sensor_x + range * std::cos(bearing), sensor_y + range * std::sin(bearing)};
  }
};

struct Track {
  std::vector<Row> rows;
  std::vector<std::string> measured;  ///< columns of measurements
  std::vector<std::string> ignored;   ///< columns that mean nothing here
  bool has_truth = false;
};

namespace detail {

enum class Column {
  time,
  range,
  bearing,
  bearing_deg,
  azimuth_deg,
  x,
  y,
  sensor_x,
  sensor_y,
  true_x,
  true_y
};
constexpr std::array<const char*, 11> kColumnNames = {"time",        "range",  "bearing", "bearing_deg",
                                                      "azimuth_deg", "x",      "y",       "sensor_x",
                                                      "sensor_y",    "true_x", "true_y"};
constexpr std::size_t kNoColumn = kColumnNames.size();

/// Opens a file whose lines are short enough to be held; throws study::LineError at one that is not.
inline std::ifstream opened_lines(const std::string& file) {
  std::ifstream in = study::opened(file);
  std::size_t number = 1, bytes = 0;
  for (std::istreambuf_iterator<char> next(in), end; next != end; ++next) {
    if (*next == '\n') {
      ++number;
      bytes = 0;
    } else if (++bytes > kMaxLine) {
      throw study::LineError(file, number, "a line of more than 1 MiB");
    }
  }
  in.clear();
  in.seekg(0);
  return in;
}

class TrackReader {
 public:
  explicit TrackReader(const std::string& file) : in_(opened_lines(file)), lines_(in_, file) {}

  Track read() {
    read_header();
    while (lines_.next(line_)) {
      if (track_.rows.size() == kMaxRows) fail("more than 1000000 rows");
      track_.rows.push_back(row());
    }
    if (track_.rows.empty()) throw std::runtime_error(lines_.file() + " has no row below its header");
    return std::move(track_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }

  bool has(Column column) const { return has_[static_cast<std::size_t>(column)]; }

  void read_header() {
    if (!lines_.next(line_))
      throw std::runtime_error(lines_.file() + " is empty: it begins with a line of names of columns");
    for (const std::string& name : study::fields_of(line_, ',')) {
      const auto found = std::find(kColumnNames.begin(), kColumnNames.end(), name);
      const auto column = static_cast<std::size_t>(found - kColumnNames.begin());
      columns_.push_back(column);
      if (column == kNoColumn) {
        track_.ignored.emplace_back(study::in_quotes(name));
        continue;
      }
      if (has_[column]) fail("two columns are called " + name);
      has_[column] = true;
      for (const Column one :
           {Column::range, Column::bearing, Column::bearing_deg, Column::azimuth_deg, Column::x, Column::y})
        if (static_cast<std::size_t>(one) == column) track_.measured.emplace_back(name);
    }
    if (!has(Column::time))
      fail("no column is called time, of those between commas: " + study::in_quotes(line_));
    if (track_.measured.empty())
      fail("no column of measurements: range, bearing, bearing_deg, azimuth_deg, or x and y");
    if (has(Column::bearing) + has(Column::bearing_deg) + has(Column::azimuth_deg) > 1)
      fail("one of bearing, bearing_deg and azimuth_deg, not two");
    for (const auto& [x, y] : {std::pair{Column::x, Column::y}, std::pair{Column::sensor_x, Column::sensor_y},
                               std::pair{Column::true_x, Column::true_y}})
      if (has(x) != has(y)) fail("x without y, or y without x: both or none of such a pair");
    track_.has_truth = has(Column::true_x);
  }

  /// NaN for an empty cell.
  double number(std::string_view text, std::size_t column) const {
    if (text.empty()) return NAN;
    const std::string name = kColumnNames[column];
    const double value = study::number_of<double>(text).value_or(NAN);
    if (std::isnan(value))
      fail(name + ": " + study::in_quotes(text) + " is no number; what was not measured is left empty");
    const bool is_time = column == static_cast<std::size_t>(Column::time);
    if (!(std::abs(value) <= (is_time ? kMaxTime : kMaxValue)))
      fail(name + ": " + study::in_quotes(text) + " is beyond " + (is_time ? "1e12" : "1e9"));
    return value;
  }

  Row row() {
    const std::vector<std::string> cells = study::fields_of(line_, ',');
    if (cells.size() != columns_.size())
      fail(std::to_string(cells.size()) + " cells, and the header has " + std::to_string(columns_.size()));
    std::array<double, kColumnNames.size()> values;
    values.fill(NAN);
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (columns_[i] != kNoColumn) values[columns_[i]] = number(cells[i], columns_[i]);
    const auto value = [&values](Column column) { return values[static_cast<std::size_t>(column)]; };
    constexpr double kDegree = std::numbers::pi / 180;
    Row row;
    row.line = lines_.number();
    row.time = value(Column::time);
    row.range = value(Column::range);
    row.bearing = has(Column::bearing_deg)   ? value(Column::bearing_deg) * kDegree
                  : has(Column::azimuth_deg) ? (90 - value(Column::azimuth_deg)) * kDegree
                                             : value(Column::bearing);
    row.x = value(Column::x);
    row.y = value(Column::y);
    row.true_x = value(Column::true_x);
    row.true_y = value(Column::true_y);
    if (has(Column::sensor_x)) {
      row.sensor_x = value(Column::sensor_x);
      row.sensor_y = value(Column::sensor_y);
      if (std::isnan(row.sensor_x) || std::isnan(row.sensor_y)) fail("no position of the sensor");
    }
    if (std::isnan(row.time)) fail("no time");
    if (!track_.rows.empty() && !(row.time >= track_.rows.back().time))
      fail("time " + study::in_quotes(cells[column_of(Column::time)]) + " is before that of the row above");
    if (row.range < 0) fail("a range below 0");
    if (std::isnan(row.x) != std::isnan(row.y) || std::isnan(row.true_x) != std::isnan(row.true_y))
      fail("x without y, or y without x");
    return row;
  }

  std::size_t column_of(Column column) const {
    const auto found = std::find(columns_.begin(), columns_.end(), static_cast<std::size_t>(column));
    return static_cast<std::size_t>(found - columns_.begin());
  }

  std::ifstream in_;
  study::TextLines lines_;
  std::string line_;
  std::vector<std::size_t> columns_;  ///< of each cell, kNoColumn where the name means nothing
  std::array<bool, kColumnNames.size()> has_{};
  Track track_;
};

}  // namespace detail

/// Rows in the order of time. Throws std::runtime_error, whose message names the file and its line.
inline Track read_track(const std::string& file) { return detail::TrackReader(file).read(); }

}  // namespace lockstep::particle_filter
