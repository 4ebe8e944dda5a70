// Verdicts and their words, which part of a result decides, and the exit status that follows.
#include "result/result.h"

#include <gtest/gtest.h>

#include <set>

namespace lockstep::result {
namespace {

TEST(Result, EveryVerdictHasAWordOfItsOwn) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(Verdict::grader_error); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_TRUE(words.insert(name_of(verdict)).second) << name_of(verdict);
    EXPECT_EQ(verdict_from(name_of(verdict)), verdict);
  }
  EXPECT_EQ(words.count("uninitialised-read"), 1U);
  EXPECT_EQ(verdict_from("unknown"), std::nullopt);
}

ExerciseResult result_with(std::vector<Verdict> cases, std::vector<Verdict> gates, Verdict speed) {
  ExerciseResult result;
  for (const Verdict verdict : cases) result.cases.emplace_back().verdict = verdict;
  for (const Verdict verdict : gates) result.gates.emplace_back().verdict = verdict;
  result.speed.verdict = speed;
  return result;
}

CaseResult failed_case(const char* name, Verdict verdict, const char* guess = "") {
  CaseResult result;
  result.name = name;
  result.verdict = verdict;
  result.guess = guess;
  return result;
}

std::string most_telling(const std::vector<CaseResult>& cases) {
  const CaseResult* telling = most_telling_case(cases);
  return telling == nullptr ? "" : telling->name;
}

TEST(Result, TheMostTellingCaseKnowsItsCause) {
  using enum Verdict;
  std::vector<CaseResult> cases = {failed_case("passed", passed), failed_case("skipped", not_measured)};
  EXPECT_EQ(most_telling(cases), "");
  cases.push_back(failed_case("large", wrong_answer));
  cases.back().elements = 1000;
  EXPECT_EQ(most_telling(cases), "large");
  cases.push_back(failed_case("small", wrong_answer));
  cases.back().elements = 3;
  EXPECT_EQ(most_telling(cases), "small") << "where nothing is known, what is easiest to follow";
  cases.push_back(failed_case("second call", wrong_answer, "the call before it was right"));
  cases.back().guessed_from_calls = true;
  cases.back().elements = 100;
  EXPECT_EQ(most_telling(cases), "small") << "that a call before was right says little";
  cases.push_back(failed_case("pattern", wrong_answer, "every element is 0"));
  EXPECT_EQ(most_telling(cases), "pattern");
  cases.push_back(failed_case("slow", time_limit));
  EXPECT_EQ(most_telling(cases), "pattern") << "a limit without a place says little";
  cases.push_back(failed_case("uninitialised", uninitialised_read));
  cases.back().places = {{"a.cu", 3, ""}};
  EXPECT_EQ(most_telling(cases), "uninitialised");
  cases.push_back(failed_case("race", race));
  cases.back().places = {{"a.cu", 4, ""}};
  EXPECT_EQ(most_telling(cases), "race");
  for (const char* name : {"known", "known again"}) {
    cases.push_back(failed_case(name, wrong_answer, "rows and columns are exchanged"));
    cases.back().cause_is_known = true;
  }
  EXPECT_EQ(most_telling(cases), "known");
  cases.insert(cases.begin(), failed_case("one element", wrong_answer, "the element itself came back"));
  cases.front().cause_is_known = true;
  EXPECT_EQ(most_telling(cases), "known") << "what most cases say";
}

TEST(Result, FirstPartThatDidNotPassDecides) {
  using enum Verdict;
  EXPECT_EQ(overall_verdict(result_with({passed, race, crashed}, {inefficient}, too_slow)), race);
  EXPECT_EQ(overall_verdict(result_with({passed}, {passed, inefficient}, too_slow)), inefficient);
  EXPECT_EQ(overall_verdict(result_with({passed}, {passed}, too_slow)), too_slow);
  EXPECT_EQ(overall_verdict(result_with({passed}, {passed}, passed)), passed);
}

TEST(Result, ARepairCountsBehindTheCasesAndBeforeTechnique) {
  using enum Verdict;
  const auto repaired = [](Verdict of_cases, Verdict of_repair) {
    ExerciseResult result = result_with({of_cases}, {inefficient}, not_measured);
    result.repair = {.changed_lines = 5, .max_changed_lines = 4, .verdict = of_repair};
    return overall_verdict(result);
  };
  EXPECT_EQ(repaired(race, too_many_changes), race);
  EXPECT_EQ(repaired(passed, too_many_changes), too_many_changes);
  EXPECT_EQ(repaired(passed, passed), inefficient);
}

TEST(Result, OfFailedCasesTheOneThatIsToldDecides) {
  ExerciseResult result;
  result.cases = {failed_case("first", Verdict::race), failed_case("known", Verdict::wrong_answer)};
  result.cases.back().cause_is_known = true;
  EXPECT_EQ(most_telling(result.cases), "known");
  EXPECT_EQ(overall_verdict(result), Verdict::wrong_answer);
}

TEST(Result, PartsNotMeasuredArePassedOver) {
  using enum Verdict;
  EXPECT_EQ(overall_verdict(result_with({passed}, {not_measured}, not_measured)), passed);
  EXPECT_EQ(overall_verdict(result_with({not_measured, crashed}, {}, not_measured)), crashed);
  EXPECT_EQ(overall_verdict(result_with({not_measured}, {not_measured}, not_measured)), not_measured);
}

ExerciseResult two_puzzles(Verdict first, Verdict second) {
  ExerciseResult result =
      result_with({Verdict::passed, Verdict::passed}, {Verdict::passed}, Verdict::not_measured);
  result.puzzles = {{"first", "", first, 1, 2, ""}, {"second", "", second, 2, 2, ""}};
  result.cases[0].puzzle = result.gates[0].puzzle = "first";
  result.cases[1].puzzle = "second";
  result.remarks.emplace_back();
  result.output = "printed";
  return result;
}

TEST(Result, TheFirstUnsolvedPuzzleIsThatOfTheGraderIfItFailed) {
  using enum Verdict;
  const auto unsolved = [](Verdict first, Verdict second) {
    const ExerciseResult result = two_puzzles(first, second);
    const PuzzleResult* const puzzle = first_unsolved(result);
    return puzzle == nullptr ? "" : puzzle->name;
  };
  EXPECT_EQ(unsolved(passed, passed), "");
  EXPECT_EQ(unsolved(passed, race), "second");
  EXPECT_EQ(unsolved(inefficient, race), "first");
  EXPECT_EQ(unsolved(race, grader_error), "second");
  EXPECT_EQ(first_unsolved(ExerciseResult()), nullptr);
}

TEST(Result, OfAPuzzleIsWhatIsAboutIt) {
  const ExerciseResult result = two_puzzles(Verdict::inefficient, Verdict::passed);
  const ExerciseResult one = result_of_puzzle(result, result.puzzles[0]);
  EXPECT_EQ(one.verdict, Verdict::inefficient);
  EXPECT_EQ(one.points, 1);
  EXPECT_EQ(one.cases.size(), 1U);
  EXPECT_EQ(one.gates.size(), 1U);
  EXPECT_TRUE(one.remarks.empty() && one.output.empty() && one.puzzles.empty());
  EXPECT_TRUE(result_of_puzzle(result, result.puzzles[1]).gates.empty());
}

TEST(Result, APuzzleThatCouldNotBeRunIsNotCorrect) {
  ExerciseResult result = two_puzzles(Verdict::passed, Verdict::passed);
  EXPECT_TRUE(is_correct(result));
  result.cases.pop_back();
  result.puzzles[1].message = "second is not defined";
  EXPECT_FALSE(is_correct(result));
}

TEST(Result, ExitStatus) {
  const auto status = [](std::vector<Verdict> verdicts) {
    Report report;
    for (const Verdict verdict : verdicts) report.exercises.emplace_back().verdict = verdict;
    return exit_status(report);
  };
  EXPECT_EQ(status({Verdict::passed, Verdict::passed}), 0);
  EXPECT_EQ(status({Verdict::passed, Verdict::inefficient}), 1);
  EXPECT_EQ(status({Verdict::not_measured}), 1);
  EXPECT_EQ(status({Verdict::wrong_answer, Verdict::grader_error}), 3);
}

}  // namespace
}  // namespace lockstep::result
