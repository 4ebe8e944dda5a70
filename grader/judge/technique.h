// The technique part of a judgement: gates over the measured cases.
#pragma once

#include <span>
#include <vector>

#include "course/problem.h"
#include "judge/case_series.h"
#include "judge/host_copies.h"
#include "judge/source_text.h"
#include "result/result.h"

namespace lockstep::judge {

/// The gate of what leaves the device, which every exercise has.
inline constexpr const char* kHostCopies = "host-copies";

/// Every gate of the problem, with its worst value over the measured cases and the line that does most beyond
/// its ideal, and kHostCopies.
std::vector<result::GateResult> judge_technique(const course::Problem& problem,
                                                std::span<const MeasuredCase> measured,
                                                const HostCopies& host_copies, const SourceText& source);

/// The same gates as not measured: correctness did not hold, or the device cannot count.
std::vector<result::GateResult> technique_not_measured(const course::Problem& problem);

}  // namespace lockstep::judge
