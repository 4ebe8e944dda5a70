// The attempts of a student at an exercise, on a page.
#pragma once

#include "report/markup.h"
#include "result/result.h"

namespace lockstep::report {

/// Points as a line over the attempts, and a table of all of them, the newest first. Empty where none is
/// known.
Markup attempts_content(const result::ExerciseResult& result);

}  // namespace lockstep::report
