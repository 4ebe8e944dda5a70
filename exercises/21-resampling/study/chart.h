// The picture of a comparison: a point with its standard error for each scheme and column, beside what theory
// says where there is one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "compare.h"
#include "offspring.h"
#include "schemes.h"
#include "study/svg.h"

namespace lockstep::particle_filter {

struct Chart {
  struct Point {
    double value, standard_error;
    double theory = NAN;
  };
  struct Series {
    std::string name;
    std::size_t colour;         ///< rank of study::group_colour()
    std::vector<Point> points;  ///< of each column
  };

  std::string name, what, x_label, y_label;
  std::vector<std::string> columns;
  std::vector<Series> series;
  bool is_logarithmic = false;
  double line = NAN;  ///< a value with a line across

  std::string svg() const;

 private:
  static constexpr double kLeft = 84, kTop = 104, kWide = 620, kHigh = 380;
  static constexpr double kRight = kLeft + kWide, kBottom = kTop + kHigh;

  double scaled(double value) const { return is_logarithmic ? std::log10(value) : value; }
  std::vector<double> scale_marks(double low, double high) const;
};

/// Values with a mark, of a scale from `low` to `high` as scaled: 1, 2 and 5 times powers of 10 if it is
/// logarithmic.
inline std::vector<double> Chart::scale_marks(double low, double high) const {
  if (!is_logarithmic) return study::marks(low, high, 6);
  std::vector<double> values;
  for (double power = std::floor(low); power <= high; ++power)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double mark = power + std::log10(digit); mark >= low && mark <= high)
        values.push_back(digit * std::pow(10.0, power));
  return values.size() >= 2 ? values : study::marks(std::pow(10.0, low), std::pow(10.0, high), 6);
}

inline std::string Chart::svg() const {
  double low = INFINITY, high = -INFINITY;
  const auto add = [&](double value) {
    if (!std::isfinite(value) || (is_logarithmic && value <= 0)) return;
    low = std::min(low, scaled(value));
    high = std::max(high, scaled(value));
  };
  add(line);
  for (const Series& one : series) {
    for (const Point& point : one.points) {
      for (const double value :
           {point.value - point.standard_error, point.value + point.standard_error, point.theory})
        add(value);
    }
  }
  if (!(low <= high)) low = high = scaled(1);
  const double margin = std::max(0.08 * (high - low), 0.01);
  low -= margin;
  high += margin;
  const auto up = [&](double value) { return kBottom - kHigh * (scaled(value) - low) / (high - low); };

  study::Svg svg(760, kBottom + 62, name + ": " + y_label);
  svg.text(kLeft, 30, name, "name");
  svg.text(kLeft, 52, what, "soft");
  svg.line(kLeft, kTop, kLeft, kBottom);
  svg.line(kLeft, kBottom, kRight, kBottom);
  for (const double mark : scale_marks(low, high)) {
    svg.mark_left(kLeft, up(mark), study::shown(mark, 4));
  }
  if (!std::isnan(line)) svg.dashed(kLeft, kRight, up(line));
  const double column_width = kWide / static_cast<double>(columns.size());
  const double step =
      std::min(26.0, 0.7 * column_width / static_cast<double>(std::max<std::size_t>(series.size(), 1)));
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const double middle = kLeft + column_width * (static_cast<double>(column) + 0.5);
    svg.text(middle, kBottom + 20, columns[column], "middle");
    for (std::size_t k = 0; k < series.size(); ++k) {
      const Point& point = series[k].points[column];
      if (!std::isfinite(point.value) || (is_logarithmic && point.value <= 0)) continue;
      const double x = middle + step * (static_cast<double>(k) - static_cast<double>(series.size() - 1) / 2);
      const std::string colour = study::group_colour(series[k].colour);
      if (!std::isnan(point.theory)) svg.line(x - 9, up(point.theory), x + 9, up(point.theory));
      const double least = point.value - point.standard_error;
      const double bottom = is_logarithmic && least <= 0 ? kBottom : up(least);
      svg.add("<path stroke=\"" + colour + "\" stroke-width=\"2\" d=\"M" + svg.at(x) + ' ' +
              svg.at(up(point.value + point.standard_error)) + 'V' + svg.at(bottom) + "\"/>");
      svg.add(svg.dot(x, up(point.value), 4, " fill=\"" + colour + '"'));
    }
  }
  double x = kLeft;
  for (const Series& one : series) {
    svg.add(svg.dot(x + 4, 78, 4, " fill=\"" + study::group_colour(one.colour) + '"'));
    svg.text(x + 14, 82.5, one.name, "soft");
    x += 112;
  }
  svg.text(kLeft + kWide / 2, kBottom + 44, x_label, "middle");
  svg.upright(kLeft - 58, kTop + kHigh / 2, y_label, "middle");
  return svg.finished();
}

/// Errors of filters over that of the filter with the exercise's function.
inline Chart chart_of(const Comparison& comparison) {
  Chart chart{.name = "Errors of tracking",
              .what = std::to_string(comparison.runs) +
                      " simulated tracks, one standard error; below 1: better than the exercise's function",
              .x_label = "particles",
              .y_label = "RMSE, over that with the exercise's function",
              .columns = {},
              .series = {},
              .line = 1};
  for (const ComparedSize& size : comparison.sizes) chart.columns.push_back(std::to_string(size.particles));
  for (std::size_t scheme = 1; scheme < kSchemes; ++scheme) {
    Chart::Series series{kSchemeNames[scheme], scheme, {}};
    for (const ComparedSize& size : comparison.sizes) {
      const Uncertain ratio = root_ratio(size.squared[scheme], size.squared[0]);
      series.points.push_back({ratio.value, ratio.standard_error});
    }
    chart.series.push_back(series);
  }
  return chart;
}

/// Errors of copies, beside theory's.
inline Chart chart_of(const OffspringTable& table) {
  Chart chart{.name = "Copies of particles",
              .what = std::to_string(table.particles) + " particles, " + std::to_string(kSets) +
                      " sets of weights, " + std::to_string(table.runs) +
                      " runs each: points with one standard error, lines: theory",
              .x_label = "y, the distance of what was measured",
              .y_label = "mean of (O − e)²",
              .columns = {},
              .series = {},
              .is_logarithmic = true};
  for (std::size_t scheme = 0; scheme < kSchemes; ++scheme)
    chart.series.push_back({kSchemeNames[scheme], scheme, {}});
  for (const OffspringRow& row : table.rows) {
    if (row.scheme == Scheme::exercise) chart.columns.push_back(std::to_string(row.y));
    chart.series[static_cast<std::size_t>(row.scheme)].points.push_back(
        {row.error, row.standard_error, row.theory});
  }
  return chart;
}

}  // namespace lockstep::particle_filter
