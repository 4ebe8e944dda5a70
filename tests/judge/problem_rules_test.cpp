// A problem that breaks a rule of the catalogue is refused in words that name the rule.
#include "course/problem_rules.h"

#include <gmock/gmock.h>

#include <limits>

namespace lockstep::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Problem sound_problem() {
  Problem problem;
  problem.name = "block-scan";
  problem.title = "Scan blocks";
  problem.lesson = "a lesson";
  problem.function.name = "block_scan";
  problem.hints = {"a hint"};
  for (int i = 0; i < 12; ++i) {
    Case one;
    one.name = "case " + std::to_string(i);
    one.prepare = [](Random&) { return Call(); };
    problem.cases.push_back(one);
  }
  problem.cases.back().measured = true;
  problem.cases.back().cost = {.elements = 1, .global_bytes = 8};
  problem.gates = {global_sectors_gate(2, {})};
  return problem;
}

TEST(ProblemRules, TopicAndIdentifier) {
  EXPECT_EQ(topic_of("09-block-scan"), "block-scan");
  EXPECT_EQ(topic_of("6-scan"), "");
  EXPECT_EQ(topic_of("06-"), "");
  EXPECT_EQ(topic_of("scan"), "");
  EXPECT_EQ(identifier_of("block-scan"), "block_scan");
}

TEST(ProblemRules, SoundProblemBreaksNone) {
  EXPECT_THAT(broken_rules(sound_problem(), "09-block-scan"), IsEmpty());
}

TEST(ProblemRules, NamesMustAgreeWithTheFolder) {
  EXPECT_THAT(broken_rules(sound_problem(), "06-scan"), ElementsAre(HasSubstr("topic \"scan\"")));
  Problem problem = sound_problem();
  problem.function.name = "scan";
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("asks for \"block_scan\"")));
}

TEST(ProblemRules, APictureIsOfACase) {
  Problem problem = sound_problem();
  problem.picture = Picture{"case 3", "svg", [](const Shown&) { return std::string(); }};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), IsEmpty());
  problem.picture->case_name = "case 12";
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("no case \"case 12\" to draw")));
  problem.picture = Picture{"case 3", "svg", nullptr};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("lacks")));
}

TEST(ProblemRules, ABugHuntAllowsSomeChange) {
  Problem problem = sound_problem();
  problem.max_changed_lines = 1;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), IsEmpty());
  problem.max_changed_lines = 0;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("a bug hunt allows no change")));
}

TEST(ProblemRules, CasesMustBeManyAndDistinct) {
  Problem problem = sound_problem();
  problem.cases.erase(problem.cases.begin());
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("11 cases")));
  problem = sound_problem();
  problem.cases[3].name = problem.cases[4].name;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"),
              ElementsAre(HasSubstr("two cases are named \"case 4\"")));
}

TEST(ProblemRules, GatesOfWholeDevicesNeedAWideCase) {
  Problem problem = sound_problem();
  problem.gates.push_back(parallelism_gate(2, ""));
  EXPECT_THAT(broken_rules(problem, "09-block-scan"),
              ElementsAre(HasSubstr("no case that gate \"parallelism\" looks at")));
  problem.cases.front().wide = true;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), IsEmpty());
}

TEST(ProblemRules, GatesNeedAMeasuredCaseWithACost) {
  Problem problem = sound_problem();
  problem.cases.back().measured = false;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("no measured case")));
  problem = sound_problem();
  problem.cases.back().cost = {};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("states no cost")));
  problem = sound_problem();
  problem.gates[0].cause = nullptr;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("global-sectors")));
}

TEST(ProblemRules, SizesForSpeedAscendAndStateTheirCost) {
  const auto size = [](double elements) {
    return Case{.name = "size", .prepare = [](Random&) { return Call(); }, .cost = {elements, 8 * elements}};
  };
  Problem problem = sound_problem();
  problem.speed =
      course::SpeedTask{.sizes = {size(1), size(2)}, .larger = {size(3)}, .reference = {.first_ratio = 0.1}};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), IsEmpty());
  problem.speed->larger = {size(2)};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"),
              ElementsAre(HasSubstr("not larger than the one before")));
  problem.speed->larger = {};
  problem.speed->variations = {Case{.name = "uncosted"}};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("\"uncosted\" lacks")));
  problem.speed = course::SpeedTask{.reference = {.first_ratio = 0.1}};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("at no size")));
}

TEST(ProblemRules, PointsForSpeedBeginBelowWhatPasses) {
  Problem problem = sound_problem();
  problem.speed = course::SpeedTask{
      .sizes = {{.name = "size", .prepare = [](Random&) { return Call(); }, .cost = {1, 8}}}};
  for (const double ratio : {0.0, 0.5, std::numeric_limits<double>::quiet_NaN()}) {
    problem.speed->reference.first_ratio = ratio;
    EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("below the reference")));
  }
  problem.speed->reference.first_ratio = 0.1;
  problem.speed->rungs = {{.first_ratio = 0.9, .rung = "tiled", .answers = {"rounded up"}}};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("below tiled")));
  problem.speed->rungs = {{.first_ratio = 0.1, .rung = "tiled"}};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("lacks its rung, or answers")));
}

Problem problem_of_puzzles() {
  Problem problem = sound_problem();
  problem.function = {};
  for (const char* name : {"first", "second"}) {
    problem.puzzles.push_back({name, "a title", {}});
    problem.puzzles.back().function.name = name;
  }
  for (std::size_t i = 0; i < problem.cases.size(); ++i) problem.cases[i].puzzle = i < 6 ? "first" : "second";
  problem.cases[0].measured = true;
  problem.cases[0].cost = {.elements = 1, .global_bytes = 8};
  return problem;
}

TEST(ProblemRules, EachPuzzleHasItsCasesAndGates) {
  EXPECT_THAT(broken_rules(problem_of_puzzles(), "09-block-scan"), IsEmpty());
  Problem problem = problem_of_puzzles();
  problem.cases[0].measured = false;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"),
              ElementsAre(HasSubstr("\"first\" lacks cases, or one")));
  problem = problem_of_puzzles();
  problem.cases[1].puzzle = "third";
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("of the puzzle \"third\"")));
  problem = sound_problem();
  problem.cases[1].puzzle = "first";
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("of the puzzle \"first\"")));
}

TEST(ProblemRules, PuzzlesAreNamedAsTheirFunctionsAndReplaceIt) {
  Problem problem = problem_of_puzzles();
  problem.puzzles[1].function.name = "other";
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("its function \"other\"")));
  problem = problem_of_puzzles();
  problem.puzzles[1] = problem.puzzles[0];
  for (Case& one : problem.cases) one.puzzle = "first";
  EXPECT_THAT(broken_rules(problem, "09-block-scan"),
              ElementsAre(HasSubstr("two puzzles are named \"first\"")));
  problem = problem_of_puzzles();
  problem.function.name = "block_scan";
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("has a function")));
}

Problem problem_of_predictions() {
  Problem problem = problem_of_puzzles();
  problem.gates.clear();
  problem.cases = {problem.cases.front(), problem.cases.back()};
  for (const Case& one : problem.cases) {
    Prediction prediction;
    prediction.name = "count_of_" + one.puzzle;
    prediction.question = "How many?";
    prediction.unit = "sectors";
    prediction.case_name = one.name;
    prediction.counted = [](const emulator::LineCounters&) { return 1.0; };
    prediction.why = "There is one.";
    problem.predictions.push_back(prediction);
  }
  return problem;
}

TEST(ProblemRules, PredictionsNeedFewCasesAndAreOfMeasuredOnes) {
  EXPECT_THAT(broken_rules(problem_of_predictions(), "09-block-scan"), IsEmpty());
  Problem problem = problem_of_predictions();
  problem.cases[1].measured = false;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"),
              ElementsAre(HasSubstr("\"case 11\", which is no measured case")));
  problem = problem_of_predictions();
  problem.predictions[1].name = problem.predictions[0].name;
  EXPECT_THAT(broken_rules(problem, "09-block-scan"),
              ElementsAre(HasSubstr("two predictions are named \"count_of_first\"")));
  problem = problem_of_predictions();
  problem.predictions[0].why.clear();
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("\"count_of_first\" lacks")));
}

TEST(ProblemRules, PredictionsAreAboutPuzzlesWithoutGates) {
  Problem problem = problem_of_predictions();
  problem.gates = {global_sectors_gate(2, {})};
  EXPECT_THAT(broken_rules(problem, "09-block-scan"), ElementsAre(HasSubstr("without gates")));
}

TEST(Problem, APuzzleIsAProblemWithItsShare) {
  const Problem problem = problem_of_puzzles();
  const Problem one = problem.of(problem.puzzles[1]);
  EXPECT_EQ(one.function.name, "second");
  EXPECT_EQ(one.cases.size(), 6U);
  EXPECT_EQ(one.gates.size(), 1U);
  EXPECT_EQ(one.points, problem.points / 2);
  EXPECT_THAT(one.puzzles, IsEmpty());
}

}  // namespace
}  // namespace lockstep::course
