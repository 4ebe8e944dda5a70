#include "course/demangled_name.h"

#include <algorithm>
#include <charconv>

#include "emulator/demangled.h"

namespace lockstep::course {
namespace {

constexpr std::size_t kLongestSymbol = 512;

/// Every back reference ends in an underscore and at most doubles the text, so the longest symbol makes at
/// most 512 * 2^14 bytes, a few milliseconds.
constexpr std::ptrdiff_t kMostUnderscores = 14;

/// An expansion ("Dp") repeats its pattern for each type of a pack, and may be nested.
constexpr std::string_view kPackExpansion = "Dp";

bool takes_little(std::string_view symbol) {
  return symbol.size() <= kLongestSymbol && symbol.starts_with("_Z") &&
         std::count(symbol.begin() + 2, symbol.end(), '_') <= kMostUnderscores &&
         symbol.find(kPackExpansion) == std::string_view::npos;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  // Not in the middle of a UTF-8 character, whose bytes after the first are 10xxxxxx.
  while (most_bytes > 0 && (static_cast<unsigned char>(text[most_bytes]) & 0xC0) == 0x80) --most_bytes;
  return std::string(text.substr(0, most_bytes)) + "…";
}

std::string demangled_name(const std::string& symbol) {
  if (!takes_little(symbol)) return shortened(symbol);
  return shortened(emulator::demangled(symbol));
}

std::string_view unqualified_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  // Source: Itanium C++ ABI, 5.1.2: a name is its length and its letters; a nested one is N, names, E.
  symbol.remove_prefix(2);
  if (symbol.starts_with('N')) symbol.remove_prefix(1);
  std::string_view last;
  while (true) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
    if (error != std::errc{}) return last;
    symbol.remove_prefix(static_cast<std::size_t>(end - symbol.data()));
    if (length > symbol.size()) return {};
    last = symbol.substr(0, length);
    symbol.remove_prefix(length);
  }
}

}  // namespace lockstep::course
