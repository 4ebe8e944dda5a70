// A report as one HTML page that needs no network and runs nothing.
#pragma once

#include <string>
#include <vector>

#include "result/result.h"

namespace lockstep::report {

/// The accesses to memory that the page draws, of one line of the submission: that of the first gate that
/// fails, else the costliest. Nothing where a case failed, or no line accesses global or shared memory.
std::vector<emulator::AccessTrace> drawn_accesses(const result::ExerciseResult& result);

/// The page: a section for each exercise.
std::string render_html(const result::Report& report);

}  // namespace lockstep::report
