// What a student is advised to do next, for every kind of result.
#include "judge/next_step.h"

#include <gmock/gmock.h>

namespace lockstep::judge {
namespace {

using result::ExerciseResult;
using result::Verdict;
using testing::HasSubstr;

ExerciseResult result_with(Verdict verdict) {
  ExerciseResult result;
  result.name = "transpose";
  result.verdict = verdict;
  return result;
}

TEST(NextStep, PassedLeadsToTheFollowingExercise) {
  EXPECT_EQ(
      next_step(result_with(Verdict::passed), "scan: read this and edit that"),
      "Speed was not measured, so the points are those of the other parts. Go on with scan: read this and "
      "edit that.");
  ExerciseResult fast = result_with(Verdict::passed);
  fast.speed.verdict = Verdict::passed;
  EXPECT_EQ(next_step(fast, ""), "With that every exercise is passed.");
}

TEST(NextStep, FindingLeadsToItsLineAndItsQuestion) {
  ExerciseResult result = result_with(Verdict::race);
  result::CaseResult passed, failed;
  failed.verdict = Verdict::race;
  failed.places = {{"transpose.cu", 12, "out[i] = tile[j];"}};
  failed.question = "which barrier must stand between?";
  result.cases = {passed, failed};
  EXPECT_EQ(next_step(result, ""), "Look at transpose.cu:12: which barrier must stand between?");
}

TEST(NextStep, WhatReachesTheHostIsInNoProfile) {
  ExerciseResult result = result_with(Verdict::inefficient);
  result::GateResult& gate = result.gates.emplace_back();
  gate.name = "host-copies";
  gate.verdict = Verdict::inefficient;
  gate.advice = "Leave the data on the device. Look for copies.";
  EXPECT_EQ(next_step(result, ""), "Leave the data on the device.");
  gate.worst = {{"transpose.cu", 9, ""}, {"transpose.cu", 12, ""}};
  EXPECT_EQ(next_step(result, ""), "Leave the data on the device (transpose.cu:9 and 12).");
}

TEST(NextStep, WhereNoKernelDidTheWorkTheCopiesAreNamed) {
  ExerciseResult result = result_with(Verdict::inefficient);
  result.gates.resize(3);
  result.gates[0].verdict = result.gates[2].verdict = Verdict::inefficient;
  result.gates[0].advice = "Do the task on the device.";
  result.gates[0].off_device = true;
  result.gates[1].worst = result.gates[2].worst = {{"transpose.cu", 9, ""}};
  result.gates[2].name = "host-copies";
  result.gates[2].advice = "Leave the data on the device.";
  EXPECT_EQ(next_step(result, ""), "Leave the data on the device (transpose.cu:9).");
  result.gates[0].off_device = false;
  EXPECT_THAT(next_step(result, ""), testing::StartsWith("Do the task on the device. "))
      << "the first counts";
  result.gates[0].off_device = true;
  result.gates[2].worst.clear();
  EXPECT_THAT(next_step(result, ""), testing::StartsWith("Do the task on the device. "));
}

TEST(NextStep, OnlyADifferenceThatIsShownHasAWrongPosition) {
  ExerciseResult result = result_with(Verdict::wrong_answer);
  result::CaseResult& failed = result.cases.emplace_back();
  failed.verdict = Verdict::wrong_answer;
  EXPECT_EQ(next_step(result, "").find("by hand"), std::string::npos);
  failed.mismatches = {{"row 3, column 7", "12", "11"}};
  EXPECT_THAT(next_step(result, ""), HasSubstr("by hand for row 3, column 7"));
}

TEST(NextStep, OnlySmallCasesAreWorkedOutByHand) {
  ExerciseResult result = result_with(Verdict::wrong_answer);
  result::CaseResult& failed = result.cases.emplace_back();
  failed.name = "n = 400";
  failed.verdict = Verdict::wrong_answer;
  failed.mismatches = {{"bin 3", "12", "11"}};
  failed.total = 20;
  failed.elements = 190'000;
  EXPECT_EQ(next_step(result, ""),
            "Follow in case \"n = 400\" what your code does for bin 3, where 12 belongs; `./lockstep hint "
            "transpose` helps.");
  failed.elements = 20;
  EXPECT_THAT(next_step(result, ""), HasSubstr("by hand"));
}

TEST(NextStep, WhatIsKnownOfTheCauseIsRepeated) {
  ExerciseResult result = result_with(Verdict::wrong_answer);
  result.cases.resize(2);
  result.cases[0].verdict = Verdict::out_of_bounds;
  result.cases[0].places = {{"transpose.cu", 9, ""}};
  result.cases[0].question = "is the index the right one?";
  result::CaseResult& failed = result.cases[1];
  failed.name = "32 x 32";
  failed.verdict = Verdict::wrong_answer;
  failed.mismatches = {{"row 3, column 7", "12", "11"}};
  failed.total = 1024;
  failed.guess = "the tile is not transposed";
  failed.cause_is_known = true;
  EXPECT_EQ(
      next_step(result, ""),
      "Follow in case \"32 x 32\" what your code does for row 3, column 7, where 12 belongs; `./lockstep "
      "hint transpose` helps.")
      << "a cause without advice is reported above";
  failed.question = "Write tile[x][y].";
  failed.cause_is_known = false;
  result.cases[0].verdict = Verdict::passed;
  EXPECT_EQ(next_step(result, ""), "Write tile[x][y]. `./lockstep hint transpose` helps.");
  result.cases[0].verdict = Verdict::out_of_bounds;
  failed.cause_is_known = true;
  EXPECT_EQ(next_step(result, ""), "Write tile[x][y].");
  // Of a finding that has another cause, the place is where it led to.
  result.cases.pop_back();
  result.cases[0].guess = "work was left in another stream";
  result.cases[0].question = "Give it the stream.";
  result.cases[0].cause_is_known = true;
  EXPECT_EQ(next_step(result, ""), "Give it the stream.");
}

TEST(NextStep, AFileInPlaceOfTheStudentsOwnIsNamed) {
  ExerciseResult result = result_with(Verdict::inefficient);
  result.gates.emplace_back().verdict = Verdict::inefficient;
  EXPECT_THAT(next_step(result, "", "rungs/tiled.cu"),
              HasSubstr("`./lockstep profile transpose --submission rungs/tiled.cu`"));
  EXPECT_EQ(next_step(result_with(Verdict::compile_error), "", "empty.cu"), "Fix that first.")
      << "the starter is another file";
}

TEST(NextStep, WhereNoPlaceIsKnownTheAdviceStandsAlone) {
  ExerciseResult result = result_with(Verdict::launch_failed);
  result::CaseResult& failed = result.cases.emplace_back();
  failed.verdict = Verdict::launch_failed;
  failed.question = "round up";
  EXPECT_EQ(next_step(result, ""), "Round up");
  failed.verdict = Verdict::wrong_answer;
  failed.mismatches.emplace_back();
  EXPECT_THAT(next_step(result, ""), testing::StartsWith("Round up")) << "the cause is known";
}

TEST(NextStep, WrongAnswerLeadsToTheFirstCaseAndAHint) {
  ExerciseResult result = result_with(Verdict::wrong_answer);
  result::CaseResult failed;
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

TEST(NextStep, ARepairOfTooManyLinesBeginsAgain) {
  ExerciseResult result = result_with(Verdict::too_many_changes);
  result.repair = {.changed_lines = 5, .max_changed_lines = 4, .verdict = Verdict::too_many_changes};
  result.gates.emplace_back().verdict = Verdict::inefficient;
  EXPECT_THAT(next_step(result, ""),
              HasSubstr("begin again with the program as it was (`./lockstep reset transpose`"));
}

TEST(NextStep, GateLeadsToItsLineAndTheProfile) {
  ExerciseResult result = result_with(Verdict::inefficient);
  result::GateResult gate;
  gate.verdict = Verdict::inefficient;
  gate.worst = {{"transpose.cu", 9, ""}};
  result.gates = {gate};
  EXPECT_EQ(next_step(result, ""),
            "Look at transpose.cu:9. `./lockstep profile transpose` shows what every line costs.");
}

TEST(NextStep, GateLeadsToWhatItAdvises) {
  ExerciseResult result = result_with(Verdict::inefficient);
  result::GateResult gate;
  gate.verdict = Verdict::inefficient;
  gate.advice = "Find the components instead: it takes few passes. A call makes 1749 launches.";
  result.gates = {gate};
  EXPECT_EQ(next_step(result, ""),
            "Find the components instead: it takes few passes. `./lockstep profile transpose` shows what "
            "every line costs.");
  result.gates[0].worst = {{"transpose.cu", 9, ""}};
  EXPECT_THAT(next_step(result, ""), testing::StartsWith("Find the components instead: it takes few passes "
                                                         "(transpose.cu:9). `./lockstep profile"));
  result.gates[0].advice = "Share the work out.";
  EXPECT_THAT(next_step(result, ""), testing::StartsWith("Share the work out (transpose.cu:9). "));
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

TEST(NextStep, ACompilersErrorLeadsToItsLine) {
  ExerciseResult broken = result_with(Verdict::compile_error);
  broken.compiler_output = "transpose.cu(3): error: expected a \";\"";
  broken.compiler_error = {{"transpose.cu", 3, "x"}, "expected a \";\"", ""};
  EXPECT_THAT(next_step(broken, ""), testing::StartsWith("Fix transpose.cu:3;"));
  broken.compiler_error->place.line = 0;
  EXPECT_THAT(next_step(broken, ""), HasSubstr("first error"));
}

TEST(NextStep, ACaseAloneThatPassesLeadsToAllOfThem) {
  ExerciseResult result = result_with(Verdict::passed);
  result.only_case = "1 x 1";
  EXPECT_EQ(next_step(result, "scan"), "`./lockstep grade transpose` runs every case.");
  EXPECT_EQ(next_step(result, "scan", "my file.cu"),
            "`./lockstep grade transpose --submission 'my file.cu'` runs every case.");
}

TEST(NextStep, OfPuzzlesItIsThatOfTheFirstUnsolvedOne) {
  ExerciseResult result = result_with(Verdict::inefficient);
  result.puzzles = {{"first", "", Verdict::passed, 2, 2, ""}, {"second", "", Verdict::inefficient, 1, 2, ""}};
  result.cases = {{.puzzle = "first", .name = "one"}, {.puzzle = "second", .name = "two"}};
  result.gates.resize(2);
  result.gates[0].puzzle = "first";
  result.gates[1].puzzle = "second";
  result.gates[1].verdict = Verdict::inefficient;
  result.gates[1].advice = "Start more blocks. One is not enough.";
  EXPECT_THAT(next_step(result, "scan"), testing::StartsWith("Start more blocks. "));
  result.puzzles[1].verdict = Verdict::passed;
  result.gates[1].verdict = Verdict::passed;
  result.verdict = Verdict::passed;
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("Go on with scan."));
}

TEST(NextStep, AFunctionThatIsMissingIsToBeDefinedAndNothingElseGivenUp) {
  ExerciseResult result = result_with(Verdict::compile_error);
  result.puzzles = {{"slope", "", Verdict::compile_error, 0, 2, "it is not defined"}};
  EXPECT_EQ(next_step(result, "scan"), "Define slope as the header declares it.");
}

TEST(NextStep, OfPredictionsIsWhatCannotBeReadThenWhatIsWrongThenWhatIsOpen) {
  ExerciseResult result;
  result.name = "predictions";
  result.verdict = Verdict::wrong_answer;
  result.predictions = {{.name = "open", .question = "How many?"},
                        {.name = "right", .verdict = Verdict::passed, .predicted = 4},
                        {.name = "wrong", .predicted = 5, .places = {{"kernels.cu", 12, "x", ""}}}};
  result.unread = {{{"predictions.txt", 0, ""}, "It has no line for more."},
                   {{"predictions.txt", 3, "nothing"}, "It has no =."}};
  EXPECT_EQ(next_step(result, "scan"), "Correct predictions.txt:3: it could not be read.");
  result.unread.pop_back();
  EXPECT_EQ(next_step(result, "scan"),
            "Predict wrong anew from kernels.cu:12; `./lockstep hint predictions` helps.");
  result.predictions.pop_back();
  EXPECT_EQ(next_step(result, "scan"), "Answer open: How many? Write the number in place of its ?.");
  result.verdict = Verdict::passed;
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("Go on with scan."));
}

TEST(NextStep, SlowButRightCodeIsSentToTheRungs) {
  result::ExerciseResult result;
  result.verdict = Verdict::too_slow;
  result.cases = {{.name = "one"}};
  result.speed.verdict = Verdict::too_slow;
  result.speed.ratio = 0.25;
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("0.25 times as fast"));
}

TEST(NextStep, AnImpossibleSpeedIsMeasuredAgainBeforeSomebodyLooks) {
  result::ExerciseResult result;
  result.verdict = Verdict::review;
  result.cases = {{.name = "one"}};
  result.speed.verdict = Verdict::review;
  result.speed.ceiling_share = 1.4;
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("lockstep calibrate"));
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("points for speed wait"));
  result.speed.ceiling_share.reset();
  EXPECT_THAT(next_step(result, "scan"), HasSubstr("Nothing shows"));
}

}  // namespace
}  // namespace lockstep::judge
