// A report as one HTML page that needs no network and runs nothing.
#pragma once

#include <optional>
#include <string>

#include "result/result.h"

namespace lockstep::report {

/// The line of the submission whose access to memory the page draws from ExerciseResult::traces: that of the
/// first gate that fails, else the costliest. Nothing where a case failed, or no line accesses global or
/// shared memory.
std::optional<unsigned> line_to_draw(const result::ExerciseResult& result);

/// The page: a section for each exercise.
std::string render_html(const result::Report& report);

}  // namespace lockstep::report
