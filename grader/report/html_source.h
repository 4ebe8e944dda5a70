// A submission's source on a page: what each line cost as a heat map, and what is said of it below it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/line_profile.h"
#include "report/markup.h"
#include "result/result.h"

namespace lockstep::report {

/// The lines of the submission that were counted, as `profile` has them.
std::vector<LineProfile> counted_lines(const result::ExerciseResult& result);

/// The place in words, "transpose.cu:23", and where it is a line of the submission as a link to it. `page`: a
/// prefix of ids that no other exercise of the page has.
Markup linked_place(const result::ExerciseResult& result, const std::string& page,
                    const result::Place& place);

/// The place's line of source, as far as it is known.
Markup quoted_line(const result::Place& place);

/// A row for each line with its counters, and below it compiler errors, findings, gates that fail, remarks,
/// and of the lines that cost most what to do. Empty where the source could not be read.
Markup source_table(const result::ExerciseResult& result, const std::string& page);

}  // namespace lockstep::report
