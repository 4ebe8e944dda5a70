// Counters by line of source as a table on a terminal, and the lines that cost most with what to do about
// them. Every profile is shown by these, of an exercise or of any program.
#pragma once

#include <string>
#include <vector>

#include "report/line_profile.h"
#include "report/text_style.h"

namespace lockstep::report {

/// A row for each line, in their order, below a heading. Columns without anything in them are left out; where
/// too little room is left for the source, it has a row of its own. `most`: the cost of the costliest line of
/// all, which colours count from.
std::string line_table(const std::vector<LineProfile>& lines, std::uint64_t most, const TextStyle& style);

/// What the columns of line_table are, of those that these lines have.
std::string legend(const std::vector<LineProfile>& lines, const TextStyle& style);

/// What the launches of each kernel could keep busy, and all of them one after the other.
std::string kernel_table(const std::vector<emulator::KernelWork>& kernels, const TextStyle& style);

/// The three costliest of all lines, quoted, each with its share of the cost and what to do.
std::string costliest_lines(const std::vector<LineProfile>& lines, const TextStyle& style);

}  // namespace lockstep::report
