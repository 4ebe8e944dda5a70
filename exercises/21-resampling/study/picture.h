// The picture of the study: the track from above, and below it how many particles count at each time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "estimate.h"
#include "study/svg.h"
#include "track.h"

namespace lockstep::particle_filter {

/// The filter after a row of the file.
struct Tracked {
  Estimate estimate;  ///< in the coordinates of the file
  bool resampled = false;
};

struct Picture {
  std::string name, what;                ///< of the file, and a line about it
  std::string length = "m", time = "s";  ///< units
  std::size_t particles = 1;
  double resample_below = 0;  ///< share of the particles
  const Track& track;
  const std::vector<Tracked>& tracked;  ///< of each row

  std::string svg() const;

 private:
  static constexpr double kLeft = 84, kTop = 100, kWide = 720, kMaxHigh = 560, kMinHigh = 220, kLow = 110;

  struct Range {
    double low = INFINITY, high = -INFINITY;
    void add(double value) {
      if (!std::isfinite(value)) return;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    double size() const { return high - low; }
    double middle() const { return (low + high) / 2; }
  };
  /// From the file's coordinates to the picture's.
  struct Map {
    double x, y, scale, bottom;
    std::pair<double, double> operator()(double px, double py) const {
      return {kLeft + (px - x) * scale, bottom - (py - y) * scale};
    }
  };

  static constexpr std::size_t kMaxPoints = 5000, kMaxCircles = 2000;  ///< of more rows one in some is drawn
  std::size_t one_in(std::size_t most) const { return (track.rows.size() - 1) / most + 1; }

  std::vector<std::pair<double, double>> sensors() const;
  using Places = std::vector<std::pair<double, double>>;
  void draw_map(study::Svg& svg, const Map& map, double high, const Places& shown_sensors) const;
  void draw_ellipses(study::Svg& svg, const Map& map) const;
  void draw_legend(study::Svg& svg, bool shows_sensor) const;
  void draw_effective(study::Svg& svg, double top) const;

  static std::string path(const std::vector<std::pair<double, double>>& points) {
    std::string text;
    for (const auto& [x, y] : points)
      text += (text.empty() ? "M" : "L") + study::Svg::at(x) + ' ' + study::Svg::at(y);
    return text;
  }
  static void triangle(study::Svg& svg, double x, double y) {
    svg.add("<path fill=\"" + study::group_colour(5) + "\" d=\"M" + svg.at(x) + ' ' + svg.at(y - 7) +
            "l7 12h-14z\"/>");
  }
  // Blue that is darker on white than on black.
  static constexpr const char* kStyle =
      "<style>\n.study .estimate { stroke: #0072b2; stroke-width: 2.2; fill: none; }\n"
      ".study .spread { fill: #0072b2; fill-opacity: 0.18; stroke: #0072b2; stroke-opacity: 0.55; }\n"
      ".study .first { fill: #0072b2; }\n.study .truth { stroke-width: 2; }\n"
      "@media screen and (prefers-color-scheme: dark) {\n"
      "  .study .estimate { stroke: #56b4e9; }\n"
      "  .study .spread { fill: #56b4e9; fill-opacity: 0.25; stroke: #56b4e9; }\n"
      "  .study .first { fill: #56b4e9; }\n}\n</style>";
  static constexpr const char* kSeen = " fill=\"none\" stroke=\"#8a8f94\" stroke-width=\"1.2\"";
};

/// Each place where a sensor stood that measured a range or a bearing, once; none if they are many.
inline std::vector<std::pair<double, double>> Picture::sensors() const {
  constexpr std::size_t kMany = 50;
  std::vector<std::pair<double, double>> places;
  for (const Row& row : track.rows) {
    if (std::isnan(row.range) && std::isnan(row.bearing)) continue;
    const std::pair<double, double> place{row.sensor_x, row.sensor_y};
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    if (places.size() > kMany) return {};
  }
  return places;
}

inline void Picture::draw_ellipses(study::Svg& svg, const Map& map) const {
  constexpr std::size_t kAbout = 16;
  const std::size_t every = std::max<std::size_t>(tracked.size() / kAbout, 1);
  for (std::size_t i = 0; i < tracked.size(); i += every) {
    const auto& covariance = tracked[i].estimate.covariance;
    const double a = covariance[0][0], b = covariance[0][1], d = covariance[1][1];
    const double middle = (a + d) / 2, half = std::hypot((a - d) / 2, b);
    const double angle = -std::atan2(2 * b, a - d) / 2 * 180 / std::numbers::pi;
    const auto [x, y] = map(tracked[i].estimate.mean[0], tracked[i].estimate.mean[1]);
    svg.add("<ellipse rx=\"" + svg.at(map.scale * std::sqrt(middle + half)) + "\" ry=\"" +
            svg.at(map.scale * std::sqrt(std::max(middle - half, 0.0))) + "\" transform=\"translate(" +
            svg.at(x) + ' ' + svg.at(y) + ") rotate(" + svg.at(angle) + ")\"/>");
  }
}

inline void Picture::draw_map(study::Svg& svg, const Map& map, double high,
                              const Places& shown_sensors) const {
  const double bottom = kTop + high, right = kLeft + kWide;
  svg.add("<clipPath id=\"study-map\"><rect x=\"" + svg.at(kLeft) + "\" y=\"" + svg.at(kTop) + "\" width=\"" +
          svg.at(kWide) + "\" height=\"" + svg.at(high) + "\"/></clipPath>");
  svg.add("<g clip-path=\"url(#study-map)\">");
  std::vector<std::pair<double, double>> truth, estimates;
  for (std::size_t i = 0; i < track.rows.size(); ++i) {
    const Row& row = track.rows[i];
    if (row.has_truth() && i % one_in(kMaxPoints) == 0) truth.push_back(map(row.true_x, row.true_y));
    if (i % one_in(kMaxPoints) == 0)
      estimates.push_back(map(tracked[i].estimate.mean[0], tracked[i].estimate.mean[1]));
    const auto [x, y] = row.position();
    if (std::isnan(x) || i % one_in(kMaxCircles) != 0) continue;
    const auto [seen_x, seen_y] = map(x, y);
    svg.add(svg.dot(seen_x, seen_y, 2.6, kSeen));
  }
  svg.add("<g class=\"spread\">");
  draw_ellipses(svg, map);
  svg.add("</g>");
  svg.add("<path class=\"edge truth\" d=\"" + path(truth) + "\"/>");
  svg.add("<path class=\"estimate\" d=\"" + path(estimates) + "\"/>");
  if (!estimates.empty())
    svg.add(svg.dot(estimates.front().first, estimates.front().second, 4.5, " class=\"first\""));
  for (const auto& [sensor_x, sensor_y] : shown_sensors) {
    const auto [x, y] = map(sensor_x, sensor_y);
    triangle(svg, x, y);
  }
  svg.add("</g>");
  svg.line(kLeft, kTop, kLeft, bottom);
  svg.line(kLeft, bottom, right, bottom);
  const double to_x = map.x + kWide / map.scale, to_y = map.y + high / map.scale;
  for (const double mark : study::marks(map.x, to_x, 7)) {
    const double x = map(mark, map.y).first;
    svg.mark_below(x, bottom, study::shown(mark, 7));
  }
  for (const double mark : study::marks(map.y, to_y, std::max(3, static_cast<int>(high / 80)))) {
    const double y = map(map.x, mark).second;
    svg.mark_left(kLeft, y, study::shown(mark, 7));
  }
  svg.text(kLeft + kWide / 2, bottom + 38, "x (" + length + ')', "middle");
  svg.upright(kLeft - 62, kTop + high / 2, "y (" + length + ')', "middle");
}

inline void Picture::draw_legend(study::Svg& svg, bool shows_sensor) const {
  double x = kLeft;
  constexpr double kY = 78, kMark = 30;
  const auto words = [&](const std::string& text, double width) {
    svg.text(x + kMark, kY + 4.5, text, "soft");
    x += kMark + width;
  };
  const auto stroke = [&](const std::string& style) { svg.line(x, kY, x + 24, kY, style); };
  svg.add("<ellipse class=\"spread\" cx=\"" + svg.at(x + 12) + "\" cy=\"" + svg.at(kY) +
          "\" rx=\"12\" ry=\"7\"/>");
  stroke("estimate");
  words("estimate, 1 σ; it begins at the dot", 202);
  if (track.has_truth) {
    stroke("edge truth");
    words("truth", 42);
  }
  if (std::any_of(track.rows.begin(), track.rows.end(),
                  [](const Row& row) { return !std::isnan(row.position().first); })) {
    svg.add(svg.dot(x + 18, kY, 2.6, kSeen));
    const std::size_t some = one_in(kMaxCircles);
    words(some == 1 ? "measured" : "measured, one of " + std::to_string(some), some == 1 ? 66 : 130);
  }
  if (shows_sensor) {
    triangle(svg, x + 17, kY + 1);
    words("sensor", 50);
  }
}

/// The effective sample size over time, and when particles were resampled.
inline void Picture::draw_effective(study::Svg& svg, double top) const {
  const std::string colour = study::group_colour(2);
  const double bottom = top + kLow, right = kLeft + kWide;
  const double begin = track.rows.front().time, last = track.rows.back().time;
  const double end = last > begin ? last : begin + 1;
  const auto across = [&](double at) { return kLeft + kWide * (at - begin) / (end - begin); };
  const auto up = [&](double share) { return bottom - kLow * share; };
  const auto n = static_cast<double>(particles);
  std::vector<std::pair<double, double>> line;
  std::string ticks;
  for (std::size_t i = 0; i < tracked.size(); i += one_in(kMaxPoints)) {
    const double x = across(track.rows[i].time);
    line.emplace_back(x, up(tracked[i].estimate.effective / n));
    if (tracked[i].resampled) ticks += 'M' + svg.at(x) + ' ' + svg.at(bottom) + "v-8";
  }
  if (resample_below > 0 && resample_below < 1) svg.dashed(kLeft, right, up(resample_below));
  svg.add("<path stroke=\"" + study::group_colour(5) + "\" stroke-width=\"1.6\" d=\"" + ticks + "\"/>");
  svg.add("<path fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.8\" d=\"" + path(line) + "\"/>");
  if (line.size() == 1) svg.add(svg.dot(line[0].first, line[0].second, 3, " fill=\"" + colour + '"'));
  svg.line(kLeft, top, kLeft, bottom);
  svg.line(kLeft, bottom, right, bottom);
  for (const double share : {0.0, 0.5, 1.0}) {
    svg.mark_left(kLeft, up(share), study::whole(100 * share) + " %");
  }
  // Of a Unix time stamp all digits are shown, which leaves room for fewer.
  const bool is_long = std::max(std::abs(begin), std::abs(end)) >= 1e6;
  for (const double mark : study::marks(begin, end, is_long ? 4 : 8)) {
    svg.mark_below(across(mark), bottom, study::shown(mark, is_long ? 13 : 7));
  }
  svg.text(kLeft + kWide / 2, bottom + 38, "time (" + time + ')', "middle");
  svg.text(kLeft, top - 12,
           "effective sample size, share of " + std::to_string(particles) +
               " particles; a mark below for each time when they were resampled",
           "soft");
}

inline std::string Picture::svg() const {
  Range x, y;
  for (std::size_t i = 0; i < track.rows.size(); ++i) {
    const Row& row = track.rows[i];
    const auto& estimate = tracked[i].estimate;
    const std::array<double, 3> xs{estimate.mean[0], row.true_x, row.position().first};
    const std::array<double, 3> ys{estimate.mean[1], row.true_y, row.position().second};
    for (const double value : xs) x.add(value);
    for (const double value : ys) y.add(value);
  }
  Range with_x = x, with_y = y;
  const std::vector<std::pair<double, double>> places = sensors();
  for (const auto& [sensor_x, sensor_y] : places) {
    with_x.add(sensor_x);
    with_y.add(sensor_y);
  }
  // Sensors that are far away would leave little room for the track.
  constexpr double kMuch = 1.7;
  const auto need = [](const Range& wide, const Range& high) {
    return std::max(wide.size() / kWide, high.size() / kMaxHigh);
  };
  if (need(with_x, with_y) <= kMuch * need(x, y)) {
    x = with_x;
    y = with_y;
  }
  const double margin = std::max({0.06 * x.size(), 0.06 * y.size(), 1e-6 * std::abs(x.middle()), 1e-6});
  const double wide = x.size() + 2 * margin, tall = y.size() + 2 * margin;
  const double high = std::clamp(kWide * tall / wide, kMinHigh, kMaxHigh);
  const double scale = std::min(kWide / wide, high / tall);
  const Map map{x.middle() - kWide / scale / 2, y.middle() - high / scale / 2, scale, kTop + high};

  Places shown_sensors;
  for (const auto& place : places) {
    const auto [sensor_x, sensor_y] = map(place.first, place.second);
    if (sensor_x >= kLeft && sensor_x <= kLeft + kWide && sensor_y >= kTop && sensor_y <= kTop + high)
      shown_sensors.push_back(place);
  }

  const double low_top = kTop + high + 84;
  study::Svg svg(860, low_top + kLow + 56, "The track of " + name + " by a particle filter");
  svg.add(kStyle);
  svg.text(kLeft, 30, name, "name");
  svg.text(kLeft, 52, what, "soft");
  draw_legend(svg, !shown_sensors.empty());
  draw_map(svg, map, high, shown_sensors);
  draw_effective(svg, low_top);
  return svg.finished();
}

}  // namespace lockstep::particle_filter
