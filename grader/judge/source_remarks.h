// What is worth to be said of right code: what its lines do that code would rather not do, or what no case
// here has shown. Only what the line itself says is said; nothing of it costs points.
#pragma once

#include <vector>

#include "course/problem.h"
#include "judge/source_text.h"
#include "result/result.h"

namespace lockstep::judge {

/// `with_gpu_cases`: the cases that need a GPU were run too.
std::vector<result::SourceRemark> remarks_on(const course::Problem& problem, const SourceText& source,
                                             bool with_gpu_cases);

}  // namespace lockstep::judge
