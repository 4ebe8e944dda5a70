#include "report/text_style.h"

#include <fmt/format.h>

#include <cmath>

#include "report/printable.h"

namespace lockstep::report {

using result::GateResult;
using result::Place;
using result::Verdict;

std::string paint(const TextStyle& style, Colour colour, std::string_view text) {
  if (!style.colour || text.empty()) return std::string(text);
  const char* code = "";
  switch (colour) {
    case Colour::good:
      code = "32";
      break;
    case Colour::bad:
      code = "1;31";
      break;
    case Colour::caution:
      code = "33";
      break;
    case Colour::faint:
      code = "2";
      break;
    case Colour::strong:
      code = "1";
      break;
    case Colour::heat_low:
      code = "32";
      break;
    case Colour::heat_medium:
      code = "33";
      break;
    case Colour::heat_high:
      code = "1;31";
      break;
  }
  return fmt::format("\x1B[{}m{}\x1B[0m", code, text);
}

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return Colour::good;
    case Verdict::not_measured:
    case Verdict::inconclusive:
    case Verdict::review:
      return Colour::caution;
    default:
      return Colour::bad;
  }
}

std::string mark(const TextStyle& style, Verdict verdict) {
  const Colour colour = colour_of(verdict);
  return paint(style, colour, colour == Colour::good ? "✓" : colour == Colour::bad ? "✗" : "?");
}

std::string quote(const TextStyle& style, const Place& place, std::string_view note, std::size_t indent) {
  constexpr std::size_t kLongestName = 60;  // a #line may name anything
  const std::string margin(indent, ' '), file = cut_front(printable(place.file), kLongestName);
  std::string result =
      fmt::format("{}{}", margin, paint(style, Colour::strong, fmt::format("{}:{}", file, place.line)));
  if (!note.empty()) result += fmt::format("  {}", note);
  result += '\n';
  const std::string source = printable(place.text);
  const std::size_t begin = source.find_first_not_of(' ');
  if (begin == std::string::npos) return result;
  const std::string gutter = fmt::format("{:>6} | ", place.line);
  const std::string code = cut(source.substr(begin), style.width - indent - gutter.size());
  result += fmt::format("{}{}{}\n", margin, gutter, code);
  std::string underline(display_width(code), '~');
  underline.front() = '^';
  result += fmt::format("{}{:>7}| {}\n", margin, "", paint(style, Colour::bad, underline));
  return result;
}

std::string prose(const TextStyle& style, std::string_view text, std::size_t indent) {
  std::string result;
  for (const std::string& line : wrap(printable(text), style.width - indent)) {
    result += fmt::format("{}{}\n", std::string(indent, ' '), line);
  }
  return result;
}

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  return size >= 100  ? fmt::format("{:.0f}", value)
         : size >= 10 ? fmt::format("{:.1f}", value)
                      : fmt::format("{:.2f}", value);
}

std::string number_beside(double value, double limit) {
  std::string text = number(value);
  if (text != number(limit) || value == limit || !std::isfinite(value)) return text;
  constexpr int kMaxDigits = 17;  // by which any two doubles differ
  for (int digits = 4; digits <= kMaxDigits; ++digits) {
    text = fmt::format("{:.{}g}", value, digits);
    if (text != fmt::format("{:.{}g}", limit, digits)) break;
  }
  return text;
}

const char* bound_of(const GateResult& gate) { return gate.at_least ? "least" : "limit"; }

std::string changes_of(const result::Repair& repair) {
  return fmt::format("{} changed, at most {}", counted(repair.changed_lines, "line"),
                     repair.max_changed_lines);
}

}  // namespace lockstep::report
