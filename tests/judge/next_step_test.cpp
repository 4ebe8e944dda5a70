// What a student is told to do next, for every kind of result.
#include "judge/next_step.h"

#include <gmock/gmock.h>

namespace lockstep::judge {
namespace {

using report::ExerciseResult;
using report::Verdict;
using testing::HasSubstr;

ExerciseResult result_with(Verdict verdict) {
  ExerciseResult result;
  result.name = "transpose";
  result.verdict = verdict;
  return result;
}

TEST(NextStep, PassedLeadsToTheFollowingExercise) {
  EXPECT_EQ(
      next_step(result_with(Verdict::passed), "scan"),
      "Speed was not measured, so the points are those of the other parts. Go on with `./lockstep grade "
      "scan`.");
  ExerciseResult fast = result_with(Verdict::passed);
  fast.speed.verdict = Verdict::passed;
  EXPECT_EQ(next_step(fast, ""), "That was the last exercise.");
}

TEST(NextStep, FindingLeadsToItsLineAndItsQuestion) {
  ExerciseResult result = result_with(Verdict::race);
  report::CaseResult passed, failed;
  failed.verdict = Verdict::race;
  failed.places = {{"transpose.cu", 12, "out[i] = tile[j];"}};
  failed.question = "which barrier must stand between?";
  result.cases = {passed, failed};
  EXPECT_EQ(next_step(result, ""), "Look at transpose.cu:12: which barrier must stand between?");
}

TEST(NextStep, WhatReachesTheHostIsNoAccessToChange) {
  ExerciseResult result = result_with(Verdict::inefficient);
  report::GateResult& gate = result.gates.emplace_back();
  gate.name = "host-copies";
  gate.verdict = Verdict::inefficient;
  EXPECT_THAT(next_step(result, ""), HasSubstr("Look for what brings data to the host"));
  gate.worst = {{"transpose.cu", 9, "printf(\"%d\", i);"}};
  EXPECT_EQ(next_step(result, ""), "Take the printf at transpose.cu:9 out.");
}

TEST(NextStep, OnlyADifferenceThatIsShownHasAWrongPosition) {
  ExerciseResult result = result_with(Verdict::wrong_answer);
  report::CaseResult& failed = result.cases.emplace_back();
  failed.verdict = Verdict::wrong_answer;
  EXPECT_EQ(next_step(result, "").find("first wrong position"), std::string::npos);
  failed.mismatches.emplace_back();
  EXPECT_THAT(next_step(result, ""), HasSubstr("first wrong position"));
}

TEST(NextStep, AFileInPlaceOfTheStudentsOwnIsNamed) {
  ExerciseResult result = result_with(Verdict::inefficient);
  result.gates.emplace_back().verdict = Verdict::inefficient;
  EXPECT_THAT(next_step(result, "", "rungs/tiled.cu"),
              HasSubstr("`./lockstep profile transpose --submission rungs/tiled.cu`"));
  EXPECT_EQ(next_step(result_with(Verdict::compile_error), "", "empty.cu"), "Mend that first.")
      << "the starter is another file";
}

TEST(NextStep, WhereNoPlaceIsKnownTheAdviceStandsAlone) {
  ExerciseResult result = result_with(Verdict::launch_failed);
  report::CaseResult& failed = result.cases.emplace_back();
  failed.verdict = Verdict::launch_failed;
  failed.question = "round up";
  EXPECT_EQ(next_step(result, ""), "Round up");
  failed.verdict = Verdict::wrong_answer;
  failed.mismatches.emplace_back();
  EXPECT_EQ(next_step(result, ""), "Round up") << "the cause is known";
}

TEST(NextStep, WrongAnswerLeadsToTheFirstCaseAndAHint) {
  ExerciseResult result = result_with(Verdict::wrong_answer);
  report::CaseResult failed;
  failed.name = "33 x 65";
  failed.verdict = Verdict::wrong_answer;
  failed.mismatches.emplace_back();
  result.cases = {failed};
  EXPECT_THAT(next_step(result, ""), HasSubstr("33 x 65"));
  EXPECT_THAT(next_step(result, ""), HasSubstr("`./lockstep hint transpose`"));
  result.cases[0].places = {{"transpose.cu", 9, ""}};
  result.cases[0].question = "which fence?";
  EXPECT_EQ(next_step(result, ""), "Look at transpose.cu:9: which fence?") << "the cause is known";
}

TEST(NextStep, GateLeadsToItsLineAndTheProfile) {
  ExerciseResult result = result_with(Verdict::inefficient);
  report::GateResult gate;
  gate.verdict = Verdict::inefficient;
  gate.worst = {{"transpose.cu", 9, ""}};
  result.gates = {gate};
  EXPECT_EQ(
      next_step(result, ""),
      "Change the access at transpose.cu:9; `./lockstep profile transpose` shows what every line costs.");
}

TEST(NextStep, CompilerAndGraderFaults) {
  ExerciseResult broken = result_with(Verdict::compile_error);
  broken.compiler_output = "transpose.cu(3): error";
  EXPECT_THAT(next_step(broken, ""), HasSubstr("first error"));
  broken.compiler_output = "ptxas transpose.ptx, line 36; error   : Unknown modifier";
  EXPECT_THAT(next_step(broken, ""), HasSubstr("asm statements"));
  broken.compiler_output = "transpose.cu(3): warning";  // it was compiled, and lacks the function
  EXPECT_THAT(next_step(broken, ""), HasSubstr("lockstep reset transpose"));
  broken.compiler_output.clear();
  EXPECT_THAT(next_step(broken, ""), HasSubstr("lockstep reset transpose"));
  EXPECT_THAT(next_step(result_with(Verdict::grader_error), ""), HasSubstr("lockstep doctor"));
}

TEST(NextStep, SlowButRightCodeIsSentToTheRungs) {
  report::ExerciseResult result;
  result.verdict = Verdict::too_slow;
  result.cases = {{.name = "one"}};
  result.speed.verdict = Verdict::too_slow;
  result.speed.ratio = 0.25;
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("0.25 times as fast"));
}

TEST(NextStep, AnImpossibleSpeedIsMeasuredAgainBeforeSomebodyLooks) {
  report::ExerciseResult result;
  result.verdict = Verdict::review;
  result.cases = {{.name = "one"}};
  result.speed.verdict = Verdict::review;
  result.speed.ceiling_share = 1.4;
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("lockstep calibrate"));
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("points for speed wait"));
  result.speed.ceiling_share.reset();
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("Nothing tells"));
}

}  // namespace
}  // namespace lockstep::judge
