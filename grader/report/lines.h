// A result as lines of the form that compilers print, FILE:LINE: SEVERITY: MESSAGE [RULE], which editors and
// the problem matcher of .vscode/tasks.json put on their lines.
#pragma once

#include <string>

#include "result/result.h"

namespace lockstep::report {

/// A line for each note, and for its further places; then verdict, points and next step of each exercise.
/// What no line is known of stands at the first of the file.
std::string render_lines(const result::Report& report);

}  // namespace lockstep::report
