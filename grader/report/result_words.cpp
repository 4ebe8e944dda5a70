#include "report/result_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "report/calibration.h"
#include "report/printable.h"
#include "report/text_style.h"
#include "text/wording.h"

namespace lockstep::report {
namespace {

/// What all calls of a case printed, as one of them did where they did alike.
Printed printed_in_case(const result::CaseResult& one) {
  Printed printed{.where = "", .text = one.output, .is_truncated = one.output_truncated};
  std::string calls;
  if (one.calls > 1) {
    calls = fmt::format("the {} calls of ", one.calls);
    const std::string first =
        printed.text.substr(0, printed.text.size() / static_cast<std::size_t>(one.calls));
    std::string repeated;
    for (int call = 0; call < one.calls; ++call) repeated += first;
    if (repeated == printed.text) {
      printed.text = first;
      calls = "each of " + calls;
    }
  }
  printed.where = fmt::format("Your code printed in {}case {}", calls, printable(one.name));
  return printed;
}

}  // namespace

bool counts_nothing(const result::GateResult& gate) {
  return gate.verdict == result::Verdict::inefficient &&
         (gate.at_least ? gate.value >= gate.limit : gate.value <= gate.limit);
}

std::string speed_words(const result::Speed& speed) {
  if (!speed.ratio) return "speed not measured: it needs a GPU";
  std::string text = fmt::format("speed {} of {}'s", number(*speed.ratio), result::baseline_of(speed));
  if (speed.interval)
    text += fmt::format(" ({} to {})", number(speed.interval->first), number(speed.interval->second));
  if (speed.ceiling_share && speed.ceiling) {
    text += fmt::format(", {:.0f} % of {} ({})", *speed.ceiling_share * 100, speed.ceiling->description,
                        figure_text(speed.ceiling->rate, speed.ceiling->unit));
  }
  if (speed.between.size() == 2)
    text += fmt::format(", between {} and {}", speed.between[0], speed.between[1]);
  if (speed.points_share && *speed.points_share < 1)
    text += fmt::format("; earns {:.0f} % of the points for speed", 100 * *speed.points_share);
  return text;
}

std::string slowdown_words(const result::Speed& speed) {
  if (!speed.gpu || speed.gpu->throttled_rounds == 0) return "";
  return fmt::format(
      "The GPU was slowed down in {} of these measurements ({}), however often they were repeated: grade "
      "again when it has cooled or has more power.",
      speed.gpu->throttled_rounds, fmt::join(speed.gpu->throttle_reasons, ", "));
}

std::string words_of_cases_not_run(const std::vector<result::CaseResult>& cases) {
  const auto is_not_run = [](const result::CaseResult& one) {
    return one.verdict == result::Verdict::not_measured;
  };
  const auto first = std::ranges::find_if(cases, is_not_run);
  if (first == cases.end()) return "";
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(cases, is_not_run));
  return fmt::format("{} {}", text::counted(count, "case"), printable(first->message));
}

std::optional<Printed> printed_by(const result::ExerciseResult& result) {
  const result::CaseResult* shown = nullptr;
  for (const result::CaseResult& one : result.cases) {
    const bool failed = one.verdict != result::Verdict::passed;
    if (!one.output.empty() && (shown == nullptr || (failed && shown->verdict == result::Verdict::passed)))
      shown = &one;
  }
  if (shown != nullptr) return printed_in_case(*shown);
  if (result.output.empty()) return std::nullopt;
  return Printed{"Your code printed", result.output, result.output_truncated};
}

}  // namespace lockstep::report
