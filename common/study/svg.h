// What the pictures of case studies share: text and colours that suit a light and a dark page and print on
// white, scales and their marks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/markup.h"
#include "study/text.h"

namespace lockstep::study {

/// A number as people write it: at most `digits` digits, without zeros at the end.
inline std::string shown(double value, int digits = 3) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

/// A whole number, all of its digits.
inline std::string whole(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

/// `text` where SVG holds text, or an attribute between quotes.
/// XML has no control characters, and the file is UTF-8: a question mark stands for other bytes.
inline std::string escaped(std::string_view text) {
  std::string legal;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    legal += bytes == 0 || static_cast<unsigned char>(text.front()) < ' ' ? "?" : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return escaped_markup(legal);
}

/// Round numbers from `low` to `high`, some five of them, for the marks of a scale.
inline std::vector<double> marks(double low, double high, int about = 5) {
  if (!(high > low) || !std::isfinite(high - low)) return {low};
  const double rough = (high - low) / about, power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough * 0.8) step = factor * power;
  // Of larger numbers of steps double has not every one.
  if (!(std::max(std::abs(low), std::abs(high)) / step < 1e15)) return {low};
  std::vector<double> values;
  for (double k = std::ceil(low / step - 1e-9) + 0.0; k * step <= high + step * 1e-9; ++k)
    values.push_back(k * step);
  return values;
}

/// Red, green and blue, from 0 to 255.
using Colour = std::array<int, 3>;

/// `share`, from 0 to 1, of the way from one colour to another, as #rrggbb.
inline std::string mixed(const Colour& from, const Colour& to, double share) {
  Colour sum{};
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<int>(std::lround(from[i] + (to[i] - from[i]) * std::clamp(share, 0.0, 1.0)));
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", sum[0] & 255, sum[1] & 255, sum[2] & 255);
  return text;
}

/// A colour of a scale from 0 to 1 that is read alike in print, by the colour-blind, and on any background.
/// Source: viridis of Matplotlib by N. Smith and S. van der Walt, CC0, every eighth of it.
inline std::string scale_colour(double share) {
  constexpr std::array<Colour, 9> kColours{{{68, 1, 84},
                                            {71, 45, 123},
                                            {59, 82, 139},
                                            {44, 114, 142},
                                            {33, 145, 140},
                                            {40, 174, 128},
                                            {94, 201, 98},
                                            {173, 220, 48},
                                            {253, 231, 37}}};
  const double place = std::clamp(share, 0.0, 1.0) * (kColours.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kColours.size() - 2);
  return mixed(kColours[below], kColours[below + 1], place - static_cast<double>(below));
}

/// That scale as a gradient of SVG called `id`, from below to above.
inline std::string scale_gradient(const std::string& id) {
  constexpr int kStops = 8;
  std::string text = "<linearGradient id=\"" + id + "\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">";
  for (int stop = 0; stop <= kStops; ++stop) {
    const double share = static_cast<double>(stop) / kStops;
    text += "<stop offset=\"" + shown(share) + "\" stop-color=\"" + scale_colour(share) + "\"/>";
  }
  return text + "</linearGradient>";
}

/// The colour of a group, by its rank; grey for all behind the last of kGroupColours. Source: M. Okabe and
/// K. Ito, "Color universal design", 2008, without black and yellow.
inline constexpr std::size_t kGroupColours = 6;
inline std::string group_colour(std::size_t rank) {
  constexpr std::array<const char*, kGroupColours> kColours{"#0072b2", "#e69f00", "#009e73",
                                                            "#cc79a7", "#56b4e9", "#d55e00"};
  return rank < kColours.size() ? kColours[rank] : "#8a8f94";
}

/// A picture with a background of its own, so that nothing depends on what is behind it.
class Svg {
 public:
  Svg(double width, double height, const std::string& title)
      : head_("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"study\" role=\"img\" width=\"" +
              shown(width) + "\" height=\"" + shown(height) + "\" viewBox=\"0 0 " + shown(width) + ' ' +
              shown(height) + "\">\n<title>" + escaped(title) + "</title>\n" + kStyle) {
    body_ = "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  }

  void add(const std::string& element) { body_ += element + '\n'; }

  /// `style`: any of soft, name, middle, end.
  void text(double x, double y, const std::string& words, const std::string& style = "",
            const std::string& more = "") {
    add("<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" class=\"" + style + "\"" + more + '>' +
        escaped(words) + "</text>");
  }
  /// Words that are read from below.
  void upright(double x, double y, const std::string& words, const std::string& style = "") {
    text(x, y, words, style, " transform=\"rotate(-90 " + at(x) + ' ' + at(y) + ")\"");
  }
  void line(double x1, double y1, double x2, double y2, const std::string& style = "edge") {
    add("<path class=\"" + style + "\" d=\"M" + at(x1) + ' ' + at(y1) + 'L' + at(x2) + ' ' + at(y2) + "\"/>");
  }
  void rectangle(double x, double y, double width, double height, const std::string& colour) {
    add("<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(width) + "\" height=\"" + at(height) +
        "\" fill=\"" + colour + "\"/>");
  }

  /// Only its edge; `more`: further attributes.
  void frame(double x, double y, double width, double height, const std::string& more = "") {
    add("<rect class=\"edge\"" + more + " x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(width) +
        "\" height=\"" + at(height) + "\"/>");
  }
  /// A circle as text, for many in one group; `more`: further attributes.
  static std::string dot(double x, double y, double radius, const std::string& more = "") {
    return "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"" + at(radius) + '"' + more + "/>";
  }
  /// Across the picture, for a value to compare with.
  void dashed(double x1, double x2, double y) {
    add("<path class=\"edge\" style=\"stroke-dasharray:4 4;stroke-opacity:0.6\" d=\"M" + at(x1) + ' ' +
        at(y) + 'H' + at(x2) + "\"/>");
  }

  /// A mark of an axis with its number: below, left or right of the place (x, y) on it.
  void mark_below(double x, double y, const std::string& number, double length = 5) {
    line(x, y, x, y + length);
    text(x, y + length + 14, printed(number), "middle");
  }
  void mark_left(double x, double y, const std::string& number, double length = 5) {
    line(x - length, y, x, y);
    text(x - length - 4, y + 4.5, printed(number), "end");
  }
  void mark_right(double x, double y, const std::string& number, double length = 5) {
    line(x, y, x + length, y);
    text(x + length + 4, y + 4.5, printed(number));
  }

  std::string finished() const { return head_ + body_ + "</svg>\n"; }

  /// A coordinate, to a hundredth.
  static std::string at(double coordinate) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", coordinate);
    std::string shortened = text;
    while (shortened.ends_with('0')) shortened.pop_back();
    if (shortened.ends_with('.')) shortened.pop_back();
    return shortened;
  }

 private:
  /// With the minus of print.
  static std::string printed(const std::string& number) {
    return number.starts_with('-') ? "−" + number.substr(1) : number;
  }

  static constexpr const char* kStyle =
      "<style>\n"
      ".study text { font: 13px Helvetica, Arial, \"Liberation Sans\", sans-serif; fill: #1b2228; }\n"
      ".study .soft { fill: #55606a; font-size: 12px; }\n"
      ".study .name { font-weight: bold; font-size: 16px; }\n"
      ".study .middle { text-anchor: middle; }\n"
      ".study .end { text-anchor: end; }\n"
      ".study .edge { stroke: #1b2228; stroke-width: 1; fill: none; }\n"
      ".study .border { stroke: #ffffff; stroke-width: 1.5; fill: none; }\n"
      ".study .paper { fill: #ffffff; }\n"
      "@media screen and (prefers-color-scheme: dark) {\n"
      "  .study text { fill: #dde2e6; }\n"
      "  .study .soft { fill: #9aa6b0; }\n"
      "  .study .edge { stroke: #dde2e6; }\n"
      "  .study .paper { fill: #14181c; }\n"
      "}\n"
      "</style>\n";

  std::string head_, body_;
};

}  // namespace lockstep::study
