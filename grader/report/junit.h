// A result as JUnit XML, as continuous integration reads it: a suite an exercise, a test case for every case,
// gate and speed. What the submission did wrong is a failure; a fault of the grader is an error; not measured
// is skipped.
#pragma once

#include <string>

#include "result/result.h"

namespace lockstep::report {

std::string render_junit(const result::Report& report);

}  // namespace lockstep::report
