// Points come from what was measured alone, and correctness comes before all of them.
#include "judge/points.h"

#include <gtest/gtest.h>

namespace lockstep::judge {
namespace {

using report::Verdict;

report::ExerciseResult result_with(std::vector<Verdict> cases, std::vector<Verdict> gates,
                                   std::optional<double> ratio = std::nullopt) {
  report::ExerciseResult result;
  for (const Verdict verdict : cases) result.cases.emplace_back().verdict = verdict;
  for (const Verdict verdict : gates) result.gates.emplace_back().verdict = verdict;
  result.speed.ratio = ratio;
  return result;
}

TEST(Points, NothingWithoutCorrectness) {
  EXPECT_EQ(points_of(result_with({Verdict::passed, Verdict::wrong_answer}, {Verdict::passed}, 2.0), 10), 0);
  EXPECT_EQ(points_of(result_with({Verdict::passed, Verdict::not_measured}, {}), 10), 0);
  EXPECT_EQ(points_of(result_with({}, {}), 10), 0);
}

TEST(Points, AllPartsMeasured) {
  const std::vector<Verdict> passed = {Verdict::passed};
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed, 1.0), 10), 10);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed, 0.9), 10), 10);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed, 0.45), 10), 8.5);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, {Verdict::inefficient}, 1.0), 10), 8);
}

TEST(Points, PartsNotMeasuredAreNeitherEarnedNorLost) {
  const std::vector<Verdict> passed = {Verdict::passed};
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed), 10), 10);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, {Verdict::not_measured}), 10), 10);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, {Verdict::passed, Verdict::inefficient}), 14), 10);
}

TEST(Points, ASpeedThatSomebodyHasToLookAtEarnsNothingYet) {
  report::ExerciseResult result = result_with({Verdict::passed}, {Verdict::passed}, 10.0);
  result.speed.verdict = Verdict::review;
  EXPECT_DOUBLE_EQ(points_of(result, 10), 7);
}

}  // namespace
}  // namespace lockstep::judge
