// The picture of the study: the curve over a logarithmic axis of lag times, with errors, a fit, and what is
// left between both.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "17-multi-tau/correlation.h"
#include "curve.h"
#include "study/svg.h"

namespace lockstep::multi_tau_study {

/// A time as people write it, as 2.4 ms. Without `interval`, the length of an instant in seconds, it is a
/// number of instants.
inline std::string time_of(double instants, double interval, int digits = 3) {
  const auto number = [digits](double value) {
    return value < 999.5 ? study::shown(value, digits) : study::whole(value);
  };
  if (interval == 0) return number(instants) + (instants == 1 ? " instant" : " instants");
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}};
  const double seconds = instants * interval;
  if (seconds == 0) return "0 s";
  for (const auto& [unit, name] : kUnits)
    if (seconds >= unit * 0.9999999) return number(seconds / unit) + name;
  return study::shown(seconds / 1e-9, digits) + " ns";
}

struct Picture {
  std::string name;         ///< of the counts
  std::string description;  ///< a line of what was measured
  double interval = 0;      ///< seconds, or 0
  const Curve& curve;
  const std::optional<DiffusionCurve>& fit;
  long long longest_sure = 0;  ///< delays beyond have few independent products, and are drawn pale
  /// Errors of longer delays are too small, and are not drawn.
  long long longest_error = std::numeric_limits<long long>::max();

  std::string svg() const;

 private:
  static constexpr double kLeft = 92, kTop = 76, kWidth = 700, kHeight = 400, kRight = kLeft + kWidth;
  static constexpr double kRestHeight = 96, kGap = 26;

  struct Scale {
    double low, high, from, to;  ///< values, and where they are
    double operator()(double value) const { return from + (value - low) / (high - low) * (to - from); }
    double within(double value) const { return (*this)(std::clamp(value, low, high)); }
  };

  bool has_error(const Point& point) const {
    return point.delay <= longest_error && std::isfinite(point.error) && point.error > 0;
  }
  bool is_sure(const Point& point) const { return point.delay <= longest_sure; }
  bool has_pale() const { return !curve.points.empty() && !is_sure(curve.points.back()); }
  void draw_axes(study::Svg& svg, const Scale& x, const Scale& y, const std::vector<double>& marks,
                 const std::string& what) const;
  static std::string dots(const std::string& circles, bool is_pale) {
    return "<g fill=\"" + study::group_colour(0) + (is_pale ? kPale : "") + "\">\n" + circles + "</g>";
  }
  static constexpr const char* kPale = "\" opacity=\"0.5";  ///< after a colour
  void draw_lags(study::Svg& svg, const Scale& x, double bottom) const;
  void draw_points(study::Svg& svg, const Scale& x, const Scale& y) const;
  void draw_fit(study::Svg& svg, const Scale& x, const Scale& y) const;
  void draw_rest(study::Svg& svg, const Scale& x, double top) const;
  void draw_legend(study::Svg& svg) const;
};

inline void grid_line(study::Svg& svg, double x1, double y1, double x2, double y2) {
  svg.add("<path class=\"edge\" stroke-opacity=\"0.14\" d=\"M" + svg.at(x1) + ' ' + svg.at(y1) + 'L' +
          svg.at(x2) + ' ' + svg.at(y2) + "\"/>");
}

inline void Picture::draw_axes(study::Svg& svg, const Scale& x, const Scale& y,
                               const std::vector<double>& marks, const std::string& what) const {
  for (int decade = static_cast<int>(std::ceil(x.low - 1e-9)); decade <= x.high + 1e-9; ++decade)
    grid_line(svg, x(decade), y.from, x(decade), y.to);
  for (const double mark : marks) {
    grid_line(svg, kLeft, y(mark), kRight, y(mark));
    svg.mark_left(kLeft, y(mark), study::shown(mark));
  }
  svg.frame(kLeft, y.to, kWidth, y.from - y.to);
  svg.upright(kLeft - 60, (y.from + y.to) / 2, what, "middle");
}

inline void Picture::draw_lags(study::Svg& svg, const Scale& x, double bottom) const {
  const int first = static_cast<int>(std::floor(x.low));
  for (int decade = first; decade <= x.high + 1e-9; ++decade) {
    for (int i = 1; i < 10; ++i) {
      const double at = decade + std::log10(static_cast<double>(i));
      if (at < x.low - 1e-9 || at > x.high + 1e-9) continue;
      const double lag = std::pow(10.0, decade);
      if (i != 1)
        svg.line(x(at), bottom, x(at), bottom + 4);
      else  // without units where the axis's title has them
        svg.mark_below(x(at), bottom, interval == 0 ? study::whole(lag) : time_of(lag, 1), 7);
    }
  }
  svg.text(kLeft + kWidth / 2, bottom + 46, interval == 0 ? "lag time τ (instants)" : "lag time τ", "middle");
}

inline void Picture::draw_points(study::Svg& svg, const Scale& x, const Scale& y) const {
  std::string bars, marks, pale;
  for (const Point& point : curve.points) {
    if (point.delay == 0) continue;
    const double lag = static_cast<double>(point.delay) * (interval == 0 ? 1 : interval);
    const double at = x(std::log10(lag));
    if (has_error(point))
      bars += 'M' + svg.at(at) + ' ' + svg.at(y.within(point.value - point.error)) + 'V' +
              svg.at(y.within(point.value + point.error));
    (is_sure(point) ? marks : pale) += svg.dot(at, y.within(point.value), 2.1) + '\n';
  }
  svg.add("<path fill=\"none\" stroke-opacity=\"0.55\" stroke=\"" + study::group_colour(0) + "\" d=\"" +
          bars + "\"/>");
  if (!pale.empty()) svg.add(dots(pale, true));
  svg.add(dots(marks, false));
}

inline void Picture::draw_fit(study::Svg& svg, const Scale& x, const Scale& y) const {
  constexpr int kPieces = 240;
  std::string path;
  for (int i = 0; i <= kPieces; ++i) {
    const double at = x.low + (x.high - x.low) * i / kPieces;
    const double delay = std::pow(10.0, at) / (interval == 0 ? 1 : interval);
    path += (i == 0 ? 'M' : 'L') + svg.at(x(at)) + ' ' + svg.at(y.within(fit->at(delay)));
  }
  svg.add("<path fill=\"none\" stroke-width=\"2\" stroke=\"" + study::group_colour(5) + "\" d=\"" + path +
          "\"/>");
}

/// Distances of the points from the fit, in standard errors.
inline void Picture::draw_rest(study::Svg& svg, const Scale& x, double top) const {
  const Scale y{-4, 4, top + kRestHeight, top};
  draw_axes(svg, x, y, {-3, 0, 3}, "(G − fit) / error");
  std::string marks, pale;
  for (const Point& point : curve.points) {
    if (point.delay == 0 || !has_error(point)) continue;
    const double lag = static_cast<double>(point.delay) * (interval == 0 ? 1 : interval);
    const double rest = (point.value - fit->at(static_cast<double>(point.delay))) / point.error;
    (is_sure(point) ? marks : pale) += svg.dot(x(std::log10(lag)), y.within(rest), 1.9) + '\n';
  }
  if (!pale.empty()) svg.add(dots(pale, true));
  svg.add(dots(marks, false));
}

inline void Picture::draw_legend(study::Svg& svg) const {
  constexpr double kX = kRight - 276, kY = kTop + 24;
  const double rows = 1 + (has_pale() ? 1 : 0) + (fit ? 1 : 0);
  svg.add("<rect class=\"paper\" x=\"" + svg.at(kX - 14) + "\" y=\"" + svg.at(kY - 17) +
          "\" width=\"280\" height=\"" + svg.at(rows * 21 + 3) + "\"/>");
  svg.add("<path stroke-opacity=\"0.55\" stroke=\"" + study::group_colour(0) + "\" d=\"M" + svg.at(kX) + ' ' +
          svg.at(kY - 12) + "V" + svg.at(kY + 4) + "\"/>");
  svg.add(dots(svg.dot(kX, kY - 4, 2.6), false));
  const bool has_errors = std::any_of(curve.points.begin(), curve.points.end(),
                                      [this](const Point& point) { return has_error(point); });
  const std::string parts = std::to_string(curve.parts), what = curve.sensors == 1 ? "measured" : "mean";
  svg.text(kX + 16, kY,
           !has_errors                       ? "measured"
           : curve.errors == Errors::sensors ? what + ", standard error of " + parts + " sensors"
                                             : what + ", standard error of " + parts + " blocks of time",
           "soft");
  double y = kY;
  if (has_pale()) {
    y += 21;
    svg.add(dots(svg.dot(kX, y - 4, 2.6), true));
    svg.text(kX + 16, y, "beyond a tenth of the measurement", "soft");
  }
  if (!fit) return;
  y += 21;
  svg.add("<path stroke-width=\"2\" stroke=\"" + study::group_colour(5) + "\" d=\"M" + svg.at(kX - 9) + ' ' +
          svg.at(y - 4) + "h18\"/>");
  svg.text(kX + 16, y, "fit of free diffusion, τ_D = " + time_of(fit->diffusion_time, interval), "soft");
}

inline std::string Picture::svg() const {
  const double unit = interval == 0 ? 1 : interval;
  double low = 0, high = 0, last = 0;
  std::optional<double> first;
  for (const Point& point : curve.points) {
    if (point.delay == 0) continue;
    const double lag = std::log10(static_cast<double>(point.delay) * unit);
    if (!first) first = lag;
    const double error = has_error(point) && is_sure(point) ? point.error : 0;
    last = lag, low = std::min(low, point.value - error), high = std::max(high, point.value + error);
  }
  if (high == low) high = low + 1;
  const double margin = (high - low) * 0.06, bottom = kTop + kHeight, rest = bottom + kGap;
  const Scale x{first.value_or(0) - 0.08, last + 0.08, kLeft, kRight},
      y{low - margin, high + margin, bottom, kTop};
  const bool has_rest = fit && std::any_of(curve.points.begin(), curve.points.end(),
                                           [this](const Point& point) { return has_error(point); });
  const double end = has_rest ? rest + kRestHeight : bottom;
  study::Svg svg(kRight + 36, end + 66, "Correlation of the counts of " + name);
  svg.text(kLeft, 30, name, "name");
  svg.text(kLeft, 52, description, "soft");
  draw_axes(svg, x, y, study::marks(y.low, y.high, 6), "correlation G(τ)");
  draw_legend(svg);  // below the points, none of which it hides
  draw_points(svg, x, y);
  if (fit) draw_fit(svg, x, y);
  if (has_rest) draw_rest(svg, x, rest);
  draw_lags(svg, x, end);
  return svg.finished();
}

}  // namespace lockstep::multi_tau_study
