// What a result is in words, wherever people read it: on a terminal and on a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/result.h"

namespace lockstep::report {

/// Whether a gate failed although its number keeps the limit: what kernels did not do says nothing by it.
bool counts_nothing(const result::GateResult& gate);

/// Of a speed that counts: what it is, or why it was not measured.
std::string speed_words(const result::Speed& speed);

/// What a reader must know of the GPU to believe the speed; empty when all was well.
std::string slowdown_words(const result::Speed& speed);

/// What the changed lines of a program with mistakes are.
inline constexpr const char* kAboutRepair =
    "The program was to be repaired, not written anew. Counted are statements that were replaced, added or "
    "removed; comments and layout count nothing.";

/// "2 cases not run", with the reason of the first; empty where all were.
std::string words_of_cases_not_run(const std::vector<result::CaseResult>& cases);

struct Printed {
  std::string where;  ///< "Your code printed in case 1 x 1"
  std::string text;   ///< as the submission printed it
  bool is_truncated = false;
};

/// What the submission printed in the first case that failed and printed, or, where none did, in the first
/// that printed: what all of them print is a multiple of it. Nothing when it printed nothing.
std::optional<Printed> printed_by(const result::ExerciseResult& result);

}  // namespace lockstep::report
