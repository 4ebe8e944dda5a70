#include "text/printable.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace lockstep::text {
namespace {

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

struct Range {
  char32_t first, last;
};

/// What UTF-8 allows and nobody sees as a character, or as none of its own. Source: Unicode 15, the general
/// categories Cc, Cf, Zl and Zp, the property Default_Ignorable_Code_Point, and the noncharacters that XML
/// forbids.
constexpr Range kHidden[] = {
    {0x0000, 0x001F},    // C0 controls
    {0x007F, 0x009F},    // delete, C1 controls
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // grapheme joiner
    {0x0600, 0x0605},    // signs that surround the digits after them
    {0x061C, 0x061C},    // mark of writing direction
    {0x06DD, 0x06DD},    // sign that surrounds
    {0x070F, 0x070F},    // abbreviation mark
    {0x0890, 0x0891},    // signs that surround
    {0x08E2, 0x08E2},    //
    {0x115F, 0x1160},    // fillers
    {0x17B4, 0x17B5},    // inherent vowels
    {0x180B, 0x180F},    // variation selectors, vowel separator
    {0x200B, 0x200F},    // of no width; marks of writing direction
    {0x2028, 0x202E},    // separators of lines and paragraphs; embeddings and overrides of direction
    {0x2060, 0x206F},    // of no width; isolates of direction
    {0x3164, 0x3164},    // filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // filler
    {0xFFF0, 0xFFFB},    // unassigned and ignored; annotations
    {0xFFFE, 0xFFFF},    // no characters
    {0x110BD, 0x110BD},  // number signs
    {0x110CD, 0x110CD},  //
    {0x13430, 0x1343F},  // joiners of hieroglyphs
    {0x1BCA0, 0x1BCA3},  // shorthand
    {0x1D173, 0x1D17A},  // musical beams and slurs
    {0xE0000, 0xE0FFF},  // tags, variation selectors
};

/// Of a well-formed sequence.
char32_t code_point(std::string_view sequence) {
  constexpr unsigned kFirstBits[] = {0x7F, 0x1F, 0x0F, 0x07};
  char32_t value = static_cast<std::uint8_t>(sequence[0]) & kFirstBits[sequence.size() - 1];
  for (const char next : sequence.substr(1)) value = value << 6 | (static_cast<std::uint8_t>(next) & 0x3FU);
  return value;
}

bool is_hidden(char32_t character) {
  const Range* const range =
      std::lower_bound(std::begin(kHidden), std::end(kHidden), character,
                       [](const Range& one, char32_t wanted) { return one.last < wanted; });
  return range != std::end(kHidden) && range->first <= character;
}

}  // namespace

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

std::string printable_lines(std::string_view text) {
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
    } else if (!is_hidden(code_point(text.substr(0, length)))) {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string line = printable_lines(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace lockstep::text
