#include "course/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace lockstep::course {
namespace {

constexpr double kWidth = 720, kHeight = 420;
constexpr double kLeft = 78, kRight = 20, kTop = 42, kBottom = 56;
constexpr std::size_t kMaxMarks = 4000;  // of a series: more cannot be distinguished

constexpr const char* kStyle = R"(
.plot { --ink: #1b2228; --soft: #5b6670; --line: #d5dad6; --first: #0a6b5e; --second: #9a4a12; --third: #3f51b5;
        --paper: #fdfdfb; }
@media (prefers-color-scheme: dark) {
  .plot { --ink: #dde2e6; --soft: #97a3ad; --line: #333c43; --first: #62c9b6; --second: #e0a06a; --third: #98a6f0;
          --paper: #14181c; }
}
.plot .paper { fill: var(--paper); }
.plot text { font: 13px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--soft); }
.plot .title { font-weight: 600; font-size: 15px; fill: var(--ink); }
.plot .grid { stroke: var(--line); }
.plot .s0 { --own: var(--first); } .plot .s1 { --own: var(--second); } .plot .s2 { --own: var(--third); }
.plot .mark { fill: var(--own); }
.plot .curve { fill: none; stroke: var(--own); stroke-width: 1.75; }
.plot .error { stroke: var(--own); }
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

/// From values to a stretch of the page.
class Scale {
 public:
  Scale(const PlotAxis& axis, double page_begin, double page_end)
      : is_logarithmic_(axis.is_logarithmic), page_begin_(page_begin), page_end_(page_end) {}

  bool has_place(double value) const { return std::isfinite(value) && (!is_logarithmic_ || value > 0); }
  void include(double value) {
    low_ = std::min(low_, inner(value));
    high_ = std::max(high_, inner(value));
  }
  void round_outwards() {
    if (!(high_ > low_)) low_ -= 1, high_ += 1;
    const double step = this->step();
    low_ = std::floor(low_ / step) * step;
    high_ = std::ceil(high_ / step) * step;
  }
  double at(double value) const {
    return page_begin_ + (inner(value) - low_) / (high_ - low_) * (page_end_ - page_begin_);
  }
  std::vector<double> ticks() const {
    std::vector<double> values;
    const double step = this->step();
    for (double inner = low_; inner < high_ + step / 2; inner += step)
      values.push_back(is_logarithmic_ ? std::pow(10, inner) : std::abs(inner) < step / 2 ? 0 : inner);
    return values;
  }

 private:
  double inner(double value) const { return is_logarithmic_ ? std::log10(value) : value; }
  /// 1, 2 or 5 times a power of ten, so that there are at most some eight ticks; whole decades.
  double step() const {
    constexpr double kMaxTicks = 8;
    const double least = (high_ - low_) / kMaxTicks, power = std::pow(10, std::floor(std::log10(least)));
    if (is_logarithmic_) return std::max(1.0, std::ceil(least));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= least) return factor * power;
    }
    return 10 * power;
  }

  bool is_logarithmic_;
  double page_begin_, page_end_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

std::string drawn(const PlotSeries& series, std::size_t number, const Scale& x, const Scale& y) {
  std::string body, path;
  std::size_t marks = 0;
  for (const PlotPoint& point : series.points) {
    if (!x.has_place(point.x) || !y.has_place(point.y)) continue;
    const double page_x = x.at(point.x), page_y = y.at(point.y);
    if (series.is_curve) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", page_x, page_y);
      continue;
    }
    if (++marks > kMaxMarks) break;
    body += fmt::format("<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>\n", page_x, page_y);
    if (point.error != 0 && y.has_place(point.y - point.error) && y.has_place(point.y + point.error))
      body +=
          fmt::format("<line class=\"error\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                      page_x, y.at(point.y - point.error), y.at(point.y + point.error));
  }
  if (!path.empty()) body += fmt::format("<path class=\"curve\" d=\"{}\"/>\n", path);
  const double line = kTop + 18 + 20 * static_cast<double>(number), legend = kWidth - kRight - 16;
  body += fmt::format("<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", legend, line - 4.5);
  body += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", legend - 10, line,
                      escaped(series.name));
  return fmt::format("<g class=\"s{}\">\n{}</g>\n", number % 3, body);
}

std::string drawn_axes(const Plot& plot, const Scale& x, const Scale& y) {
  std::string axes;
  for (const double tick : x.ticks()) {
    const double page = x.at(tick);
    axes += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", page,
                        kTop, kHeight - kBottom);
    axes += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n", page,
                        kHeight - kBottom + 18, tick);
  }
  for (const double tick : y.ticks()) {
    const double page = y.at(tick);
    axes += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", kLeft,
                        kWidth - kRight, page);
    axes += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n", kLeft - 8,
                        page + 4.5, tick);
  }
  axes += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                      (kLeft + kWidth - kRight) / 2, kHeight - 14, escaped(plot.x.label));
  axes += fmt::format("<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                      (kTop + kHeight - kBottom) / 2, escaped(plot.y.label));
  axes += fmt::format("<text class=\"title\" x=\"{}\" y=\"24\">{}</text>\n", kLeft, escaped(plot.title));
  return axes;
}

}  // namespace

std::string plot_svg(const Plot& plot) {
  Scale x(plot.x, kLeft, kWidth - kRight), y(plot.y, kHeight - kBottom, kTop);
  bool has_points = false;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      if (!x.has_place(point.x) || !y.has_place(point.y)) continue;
      has_points = true;
      x.include(point.x);
      y.include(point.y);
    }
  }
  if (!has_points) throw std::runtime_error("there is no number that could be drawn");
  x.round_outwards();
  y.round_outwards();
  std::string body = drawn_axes(plot, x, y);
  for (std::size_t i = 0; i < plot.series.size(); ++i) body += drawn(plot.series[i], i, x, y);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      kWidth, kHeight, escaped(plot.title), kStyle, body);
}

}  // namespace lockstep::course
