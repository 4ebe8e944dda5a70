#include "report/printable.h"

#include <algorithm>
#include <cstdint>

namespace lockstep::report {
namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none. Source: RFC 3629,
/// section 4.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U; };
  const auto within = [&](std::size_t i, unsigned low, unsigned high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const auto continues = [&](std::size_t i) { return within(i, 0x80, 0xBF); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
    return within(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
    return within(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

/// Length of the escape sequence at the start of `text`, which begins with ESC. Source: ECMA-48, 5.4 and 5.6.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  const char kind = text[1];
  std::size_t i = 2;
  if (kind == '[') {  // control sequence: up to a final byte
    while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3F) ++i;
    return i < text.size() && text[i] >= 0x40 && text[i] <= 0x7E ? i + 1 : i;
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' ||
      kind == '_') {  // a string, ended by BEL or ESC \.
    while (i < text.size() && text[i] != '\a' && text[i] != '\x1B' && text[i] != '\n') ++i;
    if (i < text.size() && text[i] == '\a') return i + 1;
    return i + 1 < text.size() && text[i] == '\x1B' && text[i + 1] == '\\' ? i + 2 : i;
  }
  return kind == '\n' ? 1 : 2;
}

/// Code points that a terminal or an XML file takes for controls although UTF-8 allows them.
bool forbidden(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (sequence.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;  // C1 controls
  if (sequence.size() == 3 && byte(0) == 0xE2) {  // marks and overrides of writing direction
    return (byte(1) == 0x80 &&
            (byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xA8 && byte(2) <= 0xAE))) ||
           (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
  }
  return sequence.size() == 3 && byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;  // U+FFFE, U+FFFF
}

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

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = 1;
    if (text[0] == '\n') {
      result += '\n';
    } else if (text[0] == '\t') {
      result += "    ";
    } else if (text[0] == '\x1B') {
      length = escape_length(text);
    } else if ((length = sequence_length(text)) == 0) {
      result += '?';
      length = 1;
    } else if (!forbidden(text.substr(0, length))) {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

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

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("_-+=.,/:@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
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
