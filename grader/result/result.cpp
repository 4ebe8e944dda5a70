#include "result/result.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace lockstep::result {
namespace {

constexpr std::array<std::pair<Verdict, const char*>, 20> kNames = {{
    {Verdict::passed, "passed"},
    {Verdict::wrong_answer, "wrong-answer"},
    {Verdict::race, "race"},
    {Verdict::out_of_bounds, "out-of-bounds"},
    {Verdict::uninitialised_read, "uninitialised-read"},
    {Verdict::bad_sync, "bad-sync"},
    {Verdict::launch_failed, "launch-failed"},
    {Verdict::unchecked_error, "unchecked-error"},
    {Verdict::leak, "leak"},
    {Verdict::crashed, "crashed"},
    {Verdict::time_limit, "time-limit"},
    {Verdict::memory_limit, "memory-limit"},
    {Verdict::compile_error, "compile-error"},
    {Verdict::too_many_changes, "too-many-changes"},
    {Verdict::inefficient, "inefficient"},
    {Verdict::too_slow, "too-slow"},
    {Verdict::inconclusive, "inconclusive"},
    {Verdict::not_measured, "not-measured"},
    {Verdict::review, "review"},
    {Verdict::grader_error, "grader-error"},
}};

bool did_not_pass(Verdict verdict) { return verdict != Verdict::passed && verdict != Verdict::not_measured; }

/// Lower says more. A mistake that is known in a case where nothing else went wrong makes other cases fail
/// in other ways.
int telling_rank(const CaseResult& failed) {
  if (failed.cause_is_known) return 0;
  const bool has_place = !failed.places.empty();
  switch (failed.verdict) {
    case Verdict::wrong_answer:
      return has_place ? 2 : (failed.guess.empty() || failed.guessed_from_calls) ? 4 : 3;
    case Verdict::uninitialised_read:
      return 2;
    case Verdict::time_limit:
      return has_place ? 1 : 3;
    default:
      return 1;
  }
}

}  // namespace

const char* name_of(Verdict verdict) {
  const auto entry = std::find_if(kNames.begin(), kNames.end(),
                                  [verdict](const auto& pair) { return pair.first == verdict; });
  return entry == kNames.end() ? "unknown" : entry->second;
}

std::optional<Verdict> verdict_from(const std::string& word) {
  const auto entry =
      std::find_if(kNames.begin(), kNames.end(), [&word](const auto& pair) { return pair.second == word; });
  return entry == kNames.end() ? std::nullopt : std::optional(entry->first);
}

const CaseResult* most_telling_case(const std::vector<CaseResult>& cases) {
  std::vector<const CaseResult*> failed;
  std::map<std::string, int> cases_of_guess;
  for (const CaseResult& one : cases) {
    if (!did_not_pass(one.verdict)) continue;
    failed.push_back(&one);
    if (one.cause_is_known) ++cases_of_guess[one.guess];
  }
  const auto order = [&](const CaseResult* one) {
    const int rank = telling_rank(*one);
    const double last = rank == 0 ? -cases_of_guess[one->guess] : rank == 4 ? one->elements : 0;
    return std::pair(rank, last);
  };
  const auto most_telling = std::ranges::min_element(failed, {}, order);
  return most_telling == failed.end() ? nullptr : *most_telling;
}

std::uint64_t passed_cases(const ExerciseResult& result) {
  return static_cast<std::uint64_t>(
      std::count_if(result.cases.begin(), result.cases.end(),
                    [](const CaseResult& one) { return one.verdict == Verdict::passed; }));
}

const PuzzleResult* first_unsolved(const ExerciseResult& result) {
  const auto first = [&result](auto matches) {
    const auto found = std::ranges::find_if(result.puzzles, matches, &PuzzleResult::verdict);
    return found == result.puzzles.end() ? nullptr : &*found;
  };
  const PuzzleResult* const fault = first([](Verdict verdict) { return verdict == Verdict::grader_error; });
  return fault != nullptr ? fault : first([](Verdict verdict) { return verdict != Verdict::passed; });
}

ExerciseResult result_of_puzzle(const ExerciseResult& result, const PuzzleResult& puzzle) {
  ExerciseResult one = result;
  one.puzzles.clear();
  one.verdict = puzzle.verdict;
  one.points = puzzle.points;
  one.max_points = puzzle.max_points;
  one.message = puzzle.message;
  // What follows is of all puzzles.
  one.previous_passed.reset();
  one.remarks.clear();
  one.output.clear();
  const auto is_of_another = [&puzzle](const auto& any) { return any.puzzle != puzzle.name; };
  std::erase_if(one.cases, is_of_another);
  std::erase_if(one.gates, is_of_another);
  return one;
}

std::string label_of(const GateResult& gate) {
  return gate.puzzle.empty() ? gate.name : gate.puzzle + ": " + gate.name;
}

std::string baseline_of(const Speed& speed) {
  return speed.baseline == kReference ? "the reference" : "the rung " + speed.baseline;
}

bool is_correct(const ExerciseResult& result) {
  const auto ended_early = [](const PuzzleResult& puzzle) { return !puzzle.message.empty(); };
  return !result.cases.empty() && std::ranges::none_of(result.puzzles, ended_early) &&
         std::all_of(result.cases.begin(), result.cases.end(),
                     [](const CaseResult& one) { return one.verdict == Verdict::passed; });
}

Verdict overall_verdict(const ExerciseResult& result) {
  if (const CaseResult* failed = most_telling_case(result.cases)) return failed->verdict;
  if (result.repair && did_not_pass(result.repair->verdict)) return result.repair->verdict;
  bool anything_passed = result.speed.verdict == Verdict::passed || passed_cases(result) > 0;
  for (const GateResult& gate : result.gates) {
    if (did_not_pass(gate.verdict)) return gate.verdict;
    anything_passed = anything_passed || gate.verdict == Verdict::passed;
  }
  // What repetition could not decide is decided for the student.
  const Verdict speed = result.speed.verdict;
  if (did_not_pass(speed) && speed != Verdict::inconclusive) return speed;
  return anything_passed ? Verdict::passed : Verdict::not_measured;
}

int exit_status(const Report& report) {
  const auto any = [&report](auto matches) {
    return std::any_of(report.exercises.begin(), report.exercises.end(),
                       [&](const ExerciseResult& result) { return matches(result.verdict); });
  };
  if (any([](Verdict verdict) { return verdict == Verdict::grader_error; })) return 3;
  return any([](Verdict verdict) { return verdict != Verdict::passed; }) ? 1 : 0;
}

}  // namespace lockstep::result
