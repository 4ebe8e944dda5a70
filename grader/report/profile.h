// The profile of one exercise: the student's source with what the emulated device counted at each line.
#pragma once

#include <string>
#include <vector>

#include "report/line_profile.h"
#include "report/text_style.h"
#include "result/result.h"

namespace lockstep::report {

/// Lines of `source` with counters, in their order, summed over the kernels that contain them. `file` is the
/// submission's name; counters of other files (the toolkit's headers) are left out.
std::vector<LineProfile> profile_lines(const result::ExerciseResult& result, const std::string& file,
                                       const std::string& source);

std::string render_profile(const result::ExerciseResult& result, const std::vector<LineProfile>& lines,
                           const TextStyle& style);
/// lockstep/profile/v1. `verdict` is that of the measured cases: unless it is "passed" or "inefficient", they
/// may have ended early, and then only a part of their work is counted.
std::string render_profile_json(const result::ExerciseResult& result, const std::vector<LineProfile>& lines);

}  // namespace lockstep::report
