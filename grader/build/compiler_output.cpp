#include "build/compiler_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "text/shortened.h"

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

/// A keyword in place of nvcc's spelling of it: where that began and ended, and by how much the line is
/// shorter.
struct Replaced {
  std::size_t begin = 0, end = 0, fewer = 0;
};

/// One line of with_cuda_keywords, and what was replaced in it.
std::string with_cuda_keywords_of(std::string_view line, std::vector<Replaced>& replaced) {
  constexpr std::string_view kBegin = "__attribute__((", kEnd = "))";
  constexpr std::string_view kKeywords[] = {"shared", "global",   "device",
                                            "host",   "constant", "grid_constant"};
  replaced.clear();
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = line.find(kBegin); at != std::string_view::npos; at = line.find(kBegin, at + 1)) {
    const std::string_view rest = line.substr(at + kBegin.size());
    for (const std::string_view keyword : kKeywords) {
      if (!rest.starts_with(keyword) || !rest.substr(keyword.size()).starts_with(kEnd)) continue;
      const std::string written = fmt::format("__{}__", keyword);
      const std::size_t size = kBegin.size() + keyword.size() + kEnd.size();
      result.append(line.substr(done, at - done)).append(written);
      replaced.push_back({at, at + size, size - written.size()});
      done = at + size;
    }
  }
  return result.append(line.substr(done));
}

/// Where a mark below a line belongs when that line has become shorter; one inside of a keyword at its begin.
std::size_t moved(std::size_t mark, const std::vector<Replaced>& replaced) {
  std::size_t fewer = 0;
  for (const Replaced& one : replaced) {
    if (mark >= one.end) {
      fewer += one.fewer;
    } else if (mark > one.begin) {
      mark = one.begin;
    }
  }
  return mark - fewer;
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

std::string without_advice(std::string_view text) {
  constexpr std::string_view kFlag =
      " The experimental flag '--expt-relaxed-constexpr' can be used to allow this.";
  constexpr std::string_view kRemark =
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n";
  return without(without(without(text, kFlag), fmt::format("{}\n", kRemark)), kRemark);
}

std::string with_cuda_keywords(std::string_view text) {
  std::string result;
  std::vector<Replaced> replaced;  // in the line before
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t mark = line.find_first_not_of(' ');
    const bool is_mark = mark != std::string_view::npos && line.substr(mark) == "^";
    result += is_mark ? std::string(moved(mark, replaced), ' ') + '^' : with_cuda_keywords_of(line, replaced);
    if (is_mark) replaced.clear();
    text.remove_prefix(line.size());
    if (text.empty()) break;
    result += '\n';
    text.remove_prefix(1);
  }
  return result;
}

std::string with_long_lines_cut(std::string_view text) {
  constexpr std::size_t kLongestLine = 2000;
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    result += text::shortened(line, kLongestLine);
    text.remove_prefix(line.size());
    if (text.empty()) break;
    result += '\n';
    text.remove_prefix(1);
  }
  return result;
}

}  // namespace lockstep::build
