// Runs one case: every call with fresh inputs, poisoned outputs, and a comparison of snapshots.
#pragma once

#include <chrono>
#include <optional>

#include "course/problem.h"
#include "emulator/core/observations.h"
#include "judge/attempt.h"
#include "judge/host_copies.h"
#include "judge/seeds.h"
#include "judge/source_text.h"
#include "result/result.h"

namespace lockstep::judge {

struct CaseRun {
  result::CaseResult result;
  emulator::Observations observations;  ///< of all calls
  HostCopies host_copies;
  double input_bytes = 0;                      ///< of all inputs of all calls
  double copied_bytes = 0, chained_bytes = 0;  ///< course::Measurement
  bool attempt_lost = false;                   ///< the next case needs a fresh attempt
  std::optional<result::Picture> picture;
};

/// `seed` is the case's own. A call may take `call_time`. Ends with the first call that shows a fault; a
/// device that ends meanwhile is one. `draws`: also the problem's picture, if it is of this case; `shows`:
/// also CaseResult::shown. Throws for faults of the grader only, among them a problem whose calls do not fit
/// its signature.
CaseRun run_case(const course::Problem& problem, const course::Case& one, const Seed& seed,
                 std::chrono::milliseconds call_time, Attempt& attempt, const SourceText& source,
                 bool draws = false, bool shows = false);

}  // namespace lockstep::judge
