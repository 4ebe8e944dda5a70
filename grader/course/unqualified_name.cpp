#include "course/unqualified_name.h"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace lockstep::course {

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
