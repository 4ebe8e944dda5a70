// What stands in a submission's text, looked for by words: enough to name a line and to see what is there
// already, not to understand it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judge/source_text.h"

namespace lockstep::judge {

/// From where something begins to its semicolon, which may stand on a later line.
struct Statement {
  std::uint32_t line = 0;
  std::string text;
};

/// As much of `code` as regular expressions look through here: they take stack for every character.
std::string searchable(std::string_view code);

/// The launches of a kernel, such as `scan_kernel<<<…`.
std::vector<Statement> launches_of(const SourceText& source, std::string_view kernel);

/// What stands between the commas of a launch's <<<…>>>, without blanks at the ends.
std::vector<std::string> launch_arguments(const Statement& launch);

/// Whether the names of a launch's first two arguments say that they are exchanged, as in `<<<threads,
/// blocks, …>>>`.
bool exchanges_its_arguments(const Statement& launch);

/// All launches of the source.
std::vector<Statement> launches_of(const SourceText& source);

/// The names of all parameters that are streams.
std::vector<std::string> stream_parameters(const SourceText& source);

/// The calls of functions whose names begin so.
std::vector<Statement> calls_of(const SourceText& source, std::string_view beginning);

/// Whether a word stands in a text, and not as a part of another.
bool has_word(std::string_view text, std::string_view word);

/// Whether these characters stand on any line.
bool mentions(const SourceText& source, std::string_view text);

/// Whether a line updates an element by what lies elsewhere, as `count[k]++` and `sums[i] += x` do, and
/// `sums[i] += sums[i - 1]` does not.
bool updates_an_element(std::string_view code);

/// The parameters of the kernel around a line that are references; none where that is no kernel.
std::vector<std::string> references_of_kernel(const SourceText& source, std::uint32_t line);

/// The first line of the kernel around `line` at which threads return and never come to a barrier that stands
/// between there and `line`; 0 where there is none.
std::uint32_t return_before_barrier(const SourceText& source, std::uint32_t line);

/// Whether a line stands behind the last __threadfence() of its function, and one stands there.
bool is_behind_last_fence(const SourceText& source, std::uint32_t line);

/// The lines of the function around a line; functions end at a brace at the beginning of a line.
std::string function_around(const SourceText& source, std::uint32_t line);

/// The first line with a barrier from line `first` on and before line `last`.
struct LinesBetween {
  bool in_one_function = true;
  std::uint32_t barrier = 0;  ///< 0 when there is none
};
LinesBetween lines_between(const SourceText& source, std::uint32_t first, std::uint32_t last);

}  // namespace lockstep::judge
