// Runs an exercise's cases one after the other, with a fresh attempt after every one that lost its own, and
// within the time that a judgement may take.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "course/problem.h"
#include "judge/attempt.h"
#include "judge/case_verdict.h"
#include "judge/host_copies.h"
#include "judge/limits.h"
#include "judge/seeds.h"
#include "judge/source_text.h"
#include "result/result.h"

namespace lockstep::judge {

/// A measured or wide case that passed or failed, with what the device saw of it.
struct MeasuredCase {
  const course::Case* one = nullptr;
  emulator::Observations observations;
  double input_bytes = 0;                      ///< of all inputs of all calls
  double copied_bytes = 0, chained_bytes = 0;  ///< course::Measurement
};

struct CaseSeries {
  std::vector<result::CaseResult> cases;
  std::vector<MeasuredCase> measured;
  HostCopies host_copies;  ///< of all cases
  std::string output;      ///< what the submission printed, of the first attempt that printed anything
  bool output_truncated = false;
  std::optional<result::Picture> picture;  ///< of SeriesOptions::draw
  /// How loading went when it failed; there are no cases then. A missing function is Kind::missing_function.
  runner::Outcome load;
};

struct SeriesOptions {
  Seed seed{};  ///< of the exercise
  bool only_measured = false;
  std::vector<const course::Case*> further_cases;  ///< besides Problem::cases, and after them
  std::string only_case;  ///< of all these the one of this name, with CaseResult::shown; empty: all
  bool draw = false;      ///< the problem's picture
  std::chrono::milliseconds call_time =
      kCallTime;  ///< at first; of `only_measured` no less than kProfiledCallTime
  std::chrono::milliseconds short_call_time = kShortCallTime;
  std::chrono::milliseconds total_time = kJudgementTime;
  std::function<void(const std::string& what, int done, int total)> progress;
};

/// Throws when no attempt can be opened. A fault of the grader in one case ends as that case's grader_error.
CaseSeries run_cases(const course::Problem& problem, const OpenAttempt& open, const SourceText& source,
                     const SeriesOptions& options);

}  // namespace lockstep::judge
