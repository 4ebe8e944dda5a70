// How many lines of a program were changed, whatever the layout: the limit that a bug hunt sets.
//
// The text is compared in pieces, each a statement or what opens or closes a block: it ends after every ; {
// and }, and at the end of a line of the preprocessor. Comments and space count nothing, and a piece of more
// than kPieceLength characters is cut into several, so that nothing is gained by long lines. Decision 0030.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::judge {

/// Characters of a piece at most, those of space not counted.
inline constexpr std::size_t kPieceLength = 120;

/// The pieces of a source, without comments and space.
///
/// What is no comment for the compiler must be none here. Where that depends on more than the characters that
/// this goes by (raw strings, header names, unusual characters), everything from there on is kept.
std::vector<std::string> pieces_of(std::string_view source);

/// The fewest pieces to replace, to insert and to remove that make `after` of `before`.
std::size_t changed_lines(std::string_view before, std::string_view after);

}  // namespace lockstep::judge
