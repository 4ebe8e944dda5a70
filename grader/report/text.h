// A result as the student reads it on a terminal: the verdict first, what went wrong and where, the next step
// last.
#pragma once

#include <string>

#include "report/text_style.h"
#include "result/result.h"

namespace lockstep::report {

/// The line above all results: device and seed, then the warnings.
std::string render_heading(const result::Report& report, const TextStyle& style);

/// One exercise. Of the cases that failed, the most telling one is shown in full and the others are named; of
/// what the submission printed, that of one case is shown.
std::string render_exercise(const result::ExerciseResult& result, const TextStyle& style);

/// Verdicts and points of several exercises, one per line; empty for a single one.
std::string render_summary(const result::Report& report, const TextStyle& style);

/// All of the above.
std::string render_text(const result::Report& report, const TextStyle& style);

}  // namespace lockstep::report
