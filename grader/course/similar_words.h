// Words near to a mistyped one, for "did you mean".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::course {

/// Fewest insertions, deletions and replacements of one character, and exchanges of two neighbours, that turn
/// `a` into `b`. No character takes part in two of them.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Those of `words` that are near enough to `word` to be meant, or hold it, nearest first; at most three.
std::vector<std::string> similar_words(std::string_view word, const std::vector<std::string>& words);

}  // namespace lockstep::course
