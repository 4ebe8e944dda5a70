// Points come from what was measured alone, and correctness comes before all of them.
#include "judge/points.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace lockstep::judge {
namespace {

using result::Verdict;

result::ExerciseResult result_with(std::vector<Verdict> cases, std::vector<Verdict> gates,
                                   std::optional<double> share_of_speed = std::nullopt) {
  result::ExerciseResult result;
  for (const Verdict verdict : cases) result.cases.emplace_back().verdict = verdict;
  for (const Verdict verdict : gates) result.gates.emplace_back().verdict = verdict;
  if (share_of_speed) result.speed.ratio = 0.5;
  result.speed.points_share = share_of_speed;
  return result;
}

TEST(Points, NothingWithoutCorrectness) {
  EXPECT_EQ(points_of(result_with({Verdict::passed, Verdict::wrong_answer}, {Verdict::passed}, 1.0), 10), 0);
  EXPECT_EQ(points_of(result_with({Verdict::passed, Verdict::not_measured}, {}), 10), 0);
  EXPECT_EQ(points_of(result_with({}, {}), 10), 0);
}

/// Of `cases` in all, the measured ones first.
result::ExerciseResult partly_right(int passed, int cases, int measured = 2) {
  result::ExerciseResult result;
  for (int i = 0; i < cases; ++i) {
    result::CaseResult& one = result.cases.emplace_back();
    one.verdict = i < passed ? Verdict::passed : Verdict::wrong_answer;
    one.measured = i < measured;
  }
  return result;
}

TEST(Points, CasesThatPassEarnALittleOnceTheMeasuredOnesAreAmongThem) {
  EXPECT_DOUBLE_EQ(points_of(partly_right(15, 20), 10), 1.5);
  EXPECT_DOUBLE_EQ(points_of(partly_right(19, 20), 10), 1.9);
  EXPECT_DOUBLE_EQ(points_of(partly_right(2, 20), 10), 0.2);
  EXPECT_EQ(points_of(partly_right(1, 20), 10), 0) << "one measured case fails";
  EXPECT_EQ(points_of(partly_right(15, 20, 0), 10), 0) << "none was measured";
  result::ExerciseResult small_ones = partly_right(19, 20, 0);
  small_ones.cases.back().measured = true;
  EXPECT_EQ(points_of(small_ones, 10), 0);
  result::ExerciseResult of_the_grader = partly_right(19, 20);
  of_the_grader.cases.back().verdict = Verdict::grader_error;
  EXPECT_EQ(points_of(of_the_grader, 10), 0);
}

TEST(Points, AProgramThatWasWrittenAnewEarnsNoMoreThanAWrongOne) {
  result::ExerciseResult result = result_with({Verdict::passed}, {Verdict::passed});
  result.repair = {.changed_lines = 4, .max_changed_lines = 4, .verdict = Verdict::passed};
  EXPECT_EQ(points_of(result, 10), 10);
  result.repair = {.changed_lines = 5, .max_changed_lines = 4, .verdict = Verdict::too_many_changes};
  EXPECT_EQ(points_of(result, 10), 2);
}

TEST(Points, AFurtherCaseNeverLowersThemAndNoWrongFunctionReachesARightOne) {
  double before = 0;
  for (int passed = 0; passed < 30; ++passed) {
    const double points = points_of(partly_right(passed, 30), 10);
    EXPECT_GE(points, before) << passed;
    before = points;
  }
  result::ExerciseResult slow = result_with({Verdict::passed}, {Verdict::inefficient}, 0.0);
  slow.gates.front().off_device = true;
  EXPECT_DOUBLE_EQ(points_of(slow, 10), 5) << "the least that is right";
  EXPECT_LT(before, 2);
}

result::GateResult failed_gate(double value, double limit, bool at_least = false) {
  result::GateResult gate;
  gate.value = value;
  gate.limit = limit;
  gate.at_least = at_least;
  gate.verdict = Verdict::inefficient;
  return gate;
}

double points_with_gates(std::vector<result::GateResult> gates) {
  result::ExerciseResult result = result_with({Verdict::passed}, {}, 1.0);
  result.gates = std::move(gates);
  return points_of(result, 10);
}

TEST(Points, AGateEarnsMoreTheNearerItIsAndAllOnlyWhereItHolds) {
  const result::GateResult holds;
  EXPECT_DOUBLE_EQ(points_with_gates({failed_gate(5, 1.25), holds}), 8 + 1 * 0.8 * 0.25);
  EXPECT_DOUBLE_EQ(points_with_gates({failed_gate(1, 4, true), holds}), 8 + 1 * 0.8 * 0.25);
  EXPECT_DOUBLE_EQ(points_with_gates({holds, failed_gate(5, 1.25)}), 9 + 1 * 0.8 * 0.25);
  double before = 8;
  for (const double value : {100.0, 4.5, 1.5, 1.3, 1.2500001}) {
    const double points = points_with_gates({failed_gate(value, 1.25)});
    EXPECT_GT(points, before) << value;
    before = points;
  }
  EXPECT_LT(before, 9.7) << "a hair beyond the limit differs from full points";
  EXPECT_DOUBLE_EQ(points_with_gates({holds}), 10);
}

TEST(Points, GatesCountUpToTheFirstThatFails) {
  const result::GateResult holds;
  EXPECT_DOUBLE_EQ(points_with_gates({failed_gate(0, 0), holds, holds}), 8);
  EXPECT_DOUBLE_EQ(points_with_gates({failed_gate(5, 1), failed_gate(2, 1)}),
                   points_with_gates({failed_gate(5, 1), holds}));
}

TEST(Points, NoPartOfAGateForWhatIsNoNumberOrWasDoneElsewhere) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {nan, std::numeric_limits<double>::infinity()})
    EXPECT_DOUBLE_EQ(points_with_gates({failed_gate(value, 1)}), 8);
  EXPECT_DOUBLE_EQ(points_with_gates({failed_gate(nan, 3, true)}), 8);
  EXPECT_DOUBLE_EQ(points_with_gates({failed_gate(4096, 0)}), 8) << "host-copies";
  result::GateResult within = failed_gate(0.5, 1);
  within.off_device = true;
  EXPECT_DOUBLE_EQ(points_with_gates({result::GateResult(), within}), 8);
  EXPECT_LT(points_with_gates({failed_gate(0.5, 1)}), 10) << "it failed, whatever its value";
}

TEST(Points, AllPartsMeasured) {
  const std::vector<Verdict> passed = {Verdict::passed};
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed, 1.0), 10), 10);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed, 0.5), 10), 8.5);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed, 0.0), 10), 7);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, {Verdict::inefficient}, 1.0), 10), 8);
}

TEST(Points, PartsNotMeasuredAreNeitherEarnedNorLost) {
  const std::vector<Verdict> passed = {Verdict::passed};
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, passed), 10), 10);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, {Verdict::not_measured}), 10), 10);
  EXPECT_DOUBLE_EQ(points_of(result_with(passed, {Verdict::passed, Verdict::inefficient}), 14), 12);
}

TEST(Points, ASpeedThatSomebodyHasToLookAtEarnsNothingYet) {
  result::ExerciseResult result = result_with({Verdict::passed}, {Verdict::passed}, 1.0);
  result.speed.verdict = Verdict::review;
  EXPECT_DOUBLE_EQ(points_of(result, 10), 7);
}

}  // namespace
}  // namespace lockstep::judge
