#include "build/compiler_output.h"

#include <algorithm>

#include "emulator/shortened.h"

namespace lockstep::build {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) { return is_decimal(c) || (c >= 'a' && c <= 'f'); }

/// Drops digits and then `end` from the front of `text`; false when they are not there.
bool drop_number(std::string_view& text, bool (*is_digit)(char), char end) {
  const auto digits = std::find_if_not(text.begin(), text.end(), is_digit) - text.begin();
  text.remove_prefix(static_cast<std::size_t>(digits));
  if (digits == 0 || !text.starts_with(end)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string without(std::string_view text, std::string_view part) {
  std::string result;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part)) {
    result.append(text.substr(0, at));
    text.remove_prefix(at + part.size());
  }
  return result.append(text);
}

std::string without_temporary_names(std::string_view text) {
  constexpr std::string_view kFolder = "/tmp/", kStart = "tmpxft_";
  std::string result;
  for (std::size_t at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart)) {
    std::string_view rest = text.substr(at + kStart.size());
    const bool is_temporary = drop_number(rest, is_hexadecimal, '_') &&
                              drop_number(rest, is_hexadecimal, '-') && drop_number(rest, is_decimal, '_');
    const bool has_folder = is_temporary && text.substr(0, at).ends_with(kFolder);
    result.append(text.substr(0, has_folder ? at - kFolder.size() : at));
    if (!is_temporary) result.append(text.substr(at, text.size() - at - rest.size()));
    text = rest;
  }
  return result.append(text);
}

std::string with_long_lines_cut(std::string_view text) {
  constexpr std::size_t kLongestLine = 2000;
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    result += emulator::shortened(line, kLongestLine);
    text.remove_prefix(line.size());
    if (text.empty()) break;
    result += '\n';
    text.remove_prefix(1);
  }
  return result;
}

}  // namespace lockstep::build
