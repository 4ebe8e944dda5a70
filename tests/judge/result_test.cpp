// Verdicts and their words, which part of a result decides, and the exit status that follows.
#include "report/result.h"

#include <gtest/gtest.h>

#include <set>

namespace lockstep::report {
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

TEST(Result, FirstPartThatDidNotPassDecides) {
  using enum Verdict;
  EXPECT_EQ(overall_verdict(result_with({passed, race, crashed}, {inefficient}, too_slow)), race);
  EXPECT_EQ(overall_verdict(result_with({passed}, {passed, inefficient}, too_slow)), inefficient);
  EXPECT_EQ(overall_verdict(result_with({passed}, {passed}, too_slow)), too_slow);
  EXPECT_EQ(overall_verdict(result_with({passed}, {passed}, passed)), passed);
}

TEST(Result, PartsNotMeasuredArePassedOver) {
  using enum Verdict;
  EXPECT_EQ(overall_verdict(result_with({passed}, {not_measured}, not_measured)), passed);
  EXPECT_EQ(overall_verdict(result_with({not_measured, crashed}, {}, not_measured)), crashed);
  EXPECT_EQ(overall_verdict(result_with({not_measured}, {not_measured}, not_measured)), not_measured);
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
}  // namespace lockstep::report
