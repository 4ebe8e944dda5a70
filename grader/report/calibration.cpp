#include "report/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "report/printable.h"

namespace lockstep::report {

using result::Calibration;
using result::GpuIdentity;
using result::QuantityText;

std::string figure_text(double value, const std::string& unit) {
  struct Prefix {
    double factor;
    const char* letter;
  };
  static constexpr std::array<Prefix, 8> prefixes = {
      {{1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}};
  if (!std::isfinite(value)) return "-";
  const auto larger = std::find_if(prefixes.begin() + 1, prefixes.end(),
                                   [value](const Prefix& prefix) { return std::abs(value) < prefix.factor; });
  const Prefix& prefix = *(larger - 1);
  return fmt::format("{} {}{}", number(value / prefix.factor), prefix.letter, unit);
}

std::string render_calibration(const Calibration& calibration, const TextStyle& style) {
  const GpuIdentity& gpu = calibration.gpu;
  std::string text = paint(style, Colour::faint,
                           fmt::format("{}, driver {}, {}", printable(gpu.name), printable(gpu.driver),
                                       printable(calibration.date))) +
                     "\n\n";
  std::size_t width = 0;
  for (const auto& [quantity, figure] : calibration.figures)
    width = std::max(width, std::string_view(text_of(quantity).what).size());
  text += paint(style, Colour::faint, fmt::format("  {:<{}}  {:>10}  {:>7}", "", width, "", "spread")) + '\n';
  for (const auto& [quantity, figure] : calibration.figures) {
    const QuantityText& words = text_of(quantity);
    text += fmt::format("  {:<{}}  {:>10}  {:>5.1f} %\n", words.what, width,
                        figure_text(figure.value, words.unit), figure.spread * 100);
  }
  return text;
}

}  // namespace lockstep::report
