#include "report/printable.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lockstep::report {
namespace {

/// Bytes of `text` that its first `columns` code points take.
std::size_t prefix_bytes(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const bool starts = (static_cast<std::uint8_t>(text[end]) & 0xC0) != 0x80;
    if (starts && columns-- == 0) break;
    ++end;
  }
  return end;
}

}  // namespace

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  while (!lines.empty() && lines.back().find_first_not_of(' ') == std::string::npos) lines.pop_back();
  return lines;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char character : text) width += (static_cast<std::uint8_t>(character) & 0xC0) != 0x80;
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  return std::string(text.substr(0, prefix_bytes(text, width - 1))) + "…";
}

std::string cut_front(std::string_view text, std::size_t width) {
  const std::size_t columns = display_width(text);
  if (columns <= width) return std::string(text);
  return "…" + std::string(text.substr(prefix_bytes(text, columns - (width - 1))));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& paragraph : split_lines(text)) {
    std::string line;
    std::size_t begin = 0;
    while (begin < paragraph.size()) {
      std::size_t end = paragraph.find(' ', begin);
      if (end == std::string::npos) end = paragraph.size();
      std::string word = paragraph.substr(begin, end - begin);
      begin = end + 1;
      if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      while (display_width(word) > width) {
        const std::size_t length = prefix_bytes(word, width);
        lines.push_back(word.substr(0, length));
        word.erase(0, length);
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace lockstep::report
