// Text from outside (a submission's output and names, a compiler's messages) made safe to show.
//
// A submission chooses what it prints, throws and asserts, and what its kernels and files are called. Such
// text may hold escape sequences that repaint a terminal, line breaks that begin a line of a forged report,
// characters that show nothing or turn the order of others round, and bytes that no JSON or XML file may
// hold. Whoever shows it, in a report or on a terminal, passes it through here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::text {

/// `text` as one line of valid UTF-8, in which every character takes a column of its own: without escape
/// sequences, controls and invisible characters; line breaks and tabs become spaces, and any byte that is no
/// UTF-8 becomes "?".
std::string printable(std::string_view text);

/// The same with its line breaks, for text that stands in a frame of its own: each line of it behind a mark,
/// or all of it in one string of a file.
std::string printable_lines(std::string_view text);

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none. Source: RFC 3629,
/// section 4 (no overlong forms, no surrogates, nothing past U+10FFFF).
std::size_t sequence_length(std::string_view text);

}  // namespace lockstep::text
