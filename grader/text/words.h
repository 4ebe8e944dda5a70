// Words of source text: what is found as a whole, and not as a part of another.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::text {

/// Whether a name may hold this character.
bool is_of_word(char c);

/// Whether no name goes on at `at` that begins before it.
bool begins_word(std::string_view text, std::size_t at);

/// The first position of `word` from `start` on where it is a whole word; npos where there is none, and for
/// an empty one.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t start = 0);

}  // namespace lockstep::text
