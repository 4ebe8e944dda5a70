// The renderers against golden files, and rules that hold for every report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "golden.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/printable.h"
#include "report/text.h"
#include "sample_reports.h"

namespace lockstep::test {
namespace {

using namespace report;
using namespace result;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(TextReport, WrongAnswer) {
  expect_golden("wrong_answer.txt", render_text(report_of({wrong_answer()}), {}));
}
TEST(TextReport, Race) { expect_golden("race.txt", render_text(report_of({race()}), {})); }
TEST(TextReport, Inefficient) {
  expect_golden("inefficient.txt", render_text(report_of({inefficient()}), {}));
}
TEST(TextReport, CompileError) {
  expect_golden("compile_error.txt", render_text(report_of({compile_error()}), {}));
}
TEST(TextReport, ExplainedCompileError) {
  expect_golden("explained_compile_error.txt", render_text(report_of({explained_compile_error()}), {}));
}
TEST(TextReport, OneCase) { expect_golden("one_case.txt", render_text(report_of({one_case()}), {})); }
TEST(TextReport, ACaseThatEndedTheCallLeftNothingToShow) {
  ExerciseResult result = one_case();
  result.cases[0].shown->arguments[1].found.clear();
  EXPECT_THAT(render_text(report_of({result}), {}), HasSubstr("not looked at"));
}
TEST(TextReport, WhatIsPrintedInTheFirstFailedCaseIsShownAndNoOther) {
  ExerciseResult result = wrong_answer();
  result.output = "of the first\nof the third\nof the fourth\n";
  result.cases[0].output = "of the first\n";
  EXPECT_THAT(render_exercise(result, {}), HasSubstr("printed in case 1 x 1:\n    | of the first\n"));
  result.cases[2].output = "of the third\n";
  result.cases[3].output = "of the fourth\n";
  const std::string text = render_exercise(result, {});
  EXPECT_THAT(text, HasSubstr("printed in case 33 x 65:\n    | of the third\n"));
  EXPECT_THAT(text, Not(HasSubstr("| of the f")));
}
TEST(TextReport, AWrongAnswerNamesTheCommandThatShowsItsInputs) {
  ExerciseResult result = wrong_answer();
  EXPECT_THAT(render_exercise(result, {}), Not(HasSubstr("Its inputs")));
  result.case_command = "./lockstep grade transpose --seed 1 --case";
  EXPECT_THAT(render_exercise(result, {}),
              HasSubstr("Its inputs: ./lockstep grade transpose --seed 1 --case '33 x 65'\n"));
}
TEST(TextReport, Passed) { expect_golden("passed.txt", render_text(report_of({passed_on_a_gpu()}), {})); }
TEST(TextReport, SaysThatAGpuWasSlowedDownAndNothingOfOneThatWasNot) {
  ExerciseResult result = passed_on_a_gpu();
  const std::string without = render_exercise(result, {});
  result.speed.gpu = throttled_gpu();
  EXPECT_THAT(render_exercise(result, {}),
              HasSubstr("slowed down in 2 of these measurements (power cap, software thermal slowdown)"));
  result.speed.gpu->throttled_rounds = 0;
  EXPECT_EQ(render_exercise(result, {}), without);
}
TEST(TextReport, AValueJustBeyondItsLimitDoesNotReadLikeIt) {
  ExerciseResult result = inefficient();
  result.gates[0].value = 1.0008;
  result.gates[0].limit = 1;
  EXPECT_THAT(render_text(report_of({result}), {}), HasSubstr("1.001  limit    1.00"));
  EXPECT_EQ(number_beside(1.0000001, 1), "1.0000001");
  EXPECT_EQ(number_beside(1, 1), "1.00");
  EXPECT_EQ(number_beside(4.6, 1.5), "4.60");
}

TEST(TextReport, TellsWhatHasChangedSinceTheGradingBefore) {
  ExerciseResult result = inefficient();
  const std::string without = render_exercise(result, {});
  EXPECT_THAT(without, Not(HasSubstr("was ")));
  result.gates[0].previous = 4.5;  // it holds now
  result.gates[1].previous = 16.5;
  result.previous_passed = 2;
  EXPECT_EQ(render_exercise(result, {}), without) << "what fails is as it was";
  result.gates[1].previous = 31;
  EXPECT_THAT(render_exercise(result, {}), HasSubstr("\n      was 31.0, now 16.5, asked 1.50\n"));

  result = wrong_answer();
  result.previous_passed = 1;
  EXPECT_THAT(render_exercise(result, {}),
              HasSubstr("2 cases passed in 0.1 s\n    was 1 of 5 cases, now 2\n"));
}

TEST(TextReport, OfPuzzlesShowsAllAndTheFirstThatIsUnsolved) {
  expect_golden("puzzles.txt", render_text(report_of({of_puzzles()}), {}));
}

TEST(TextReport, OfPuzzlesThatAllPassedListsNoGates) {
  ExerciseResult result = of_puzzles();
  result.verdict = Verdict::passed;
  for (result::PuzzleResult& puzzle : result.puzzles) puzzle.verdict = Verdict::passed;
  result.cases.resize(2);
  EXPECT_THAT(render_exercise(result, {}), Not(HasSubstr("parallelism")));
  EXPECT_THAT(render_exercise(result, {}), Not(HasSubstr("speed")));
  EXPECT_THAT(render_exercise(result, {}), HasSubstr("was 1 of 2 cases, now 2\n"));
}

TEST(TextReport, AFunctionThatIsMissingIsNamedWhereItsPuzzleIsShown) {
  ExerciseResult result = of_puzzles();
  result.puzzles[1].verdict = Verdict::passed;
  EXPECT_THAT(render_exercise(result, {}),
              HasSubstr("\n  slope: subtract neighbours\n\n  first_kernels.cu does not define slope\n"));
}

TEST(TextReport, OfPredictionsShowsThemBesideWhatWasMeasured) {
  expect_golden("predictions.txt", render_text(report_of({of_predictions()}), {}));
}

TEST(TextReport, Hostile) { expect_golden("hostile.txt", render_text(report_of({hostile()}), {})); }
TEST(TextReport, EveryKind) { expect_golden("every_kind.txt", render_text(every_kind(), {})); }
TEST(TextReport, Coloured) {
  expect_golden("coloured.txt", render_text(report_of({inefficient()}), {.colour = true}));
}

TEST(TextReport, KeepsToThePage) {
  for (const std::size_t width : {60, 100}) {
    for (const Report& report : {every_kind(), report_of({of_predictions()})}) {
      for (const std::string& line : split_lines(render_text(report, {.width = width})))
        EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(TextReport, WhatTellsOfAWrongElementIsNotCut) {
  ExerciseResult result = wrong_answer();
  result.cases[2].mismatches = {{"DD, bin 19 (105 to 167 degrees)", "0", "14829735431805717965"}};
  EXPECT_THAT(render_text(report_of({result}), {}),
              HasSubstr("DD, bin 19 (105 to 167 degrees)  0         14829735431805717965\n"));
  result.cases[2].mismatches[0].expected = std::string(100, '9');
  for (const std::string& line : split_lines(render_text(report_of({result}), {})))
    EXPECT_LE(display_width(line), 100U) << line;
}

TEST(TextReport, TheMostTellingCaseIsToldAlone) {
  ExerciseResult result = wrong_answer();
  result.cases.push_back(race().cases.front());
  const std::string text = render_text(report_of({result}), {});
  EXPECT_THAT(text, HasSubstr("case 64 x 64: race"));
  EXPECT_THAT(text, HasSubstr("transpose.cu:24"));
  EXPECT_THAT(text, testing::Not(HasSubstr("case 33 x 65: wrong-answer")));
  EXPECT_THAT(text, HasSubstr("3 more cases failed: 33 x 65 (wrong-answer), 1025 x 7 (wrong-answer)"));
}

TEST(TextReport, CasesThatWereNotRunHaveTheirReason) {
  ExerciseResult result = wrong_answer();
  EXPECT_THAT(render_text(report_of({result}), {}), testing::Not(HasSubstr("not run")));
  for (const char* name : {"4096 x 4096", "8192 x 8192"}) {
    result.cases.emplace_back();
    result.cases.back().name = name;
    result.cases.back().verdict = result::Verdict::not_measured;
    result.cases.back().message = "not run: there was no time";
  }
  EXPECT_THAT(render_text(report_of({result}), {}), HasSubstr("? 2 cases not run: there was no time\n"));
}

TEST(TextReport, WhatHappenedStandsBesideEachPlace) {
  ExerciseResult result = race();
  result.cases[0].places[1].part = "the store that it missed";
  const std::string text = render_text(report_of({result}), {});
  EXPECT_THAT(text, HasSubstr("transpose.cu:22  first: writes\n"));
  EXPECT_THAT(text, HasSubstr("transpose.cu:24  the store that it missed\n"));
}

TEST(TextReport, WhatSeveralCallsPrintedIsToldOfThem) {
  ExerciseResult result = wrong_answer();
  result.cases[0].calls = 2;
  result.cases[0].output = "n = 1\nn = 1\n";
  for (std::size_t i = 1; i < result.cases.size(); ++i) result.cases[i].output.clear();
  EXPECT_THAT(render_exercise(result, {}),
              HasSubstr("printed in each of the 2 calls of case 1 x 1:\n    | n = 1\n\n"));
  result.cases[0].output = "n = 1\nn = 2\n";
  EXPECT_THAT(render_exercise(result, {}),
              HasSubstr("printed in the 2 calls of case 1 x 1:\n    | n = 1\n    | n = 2\n"));
}

TEST(TextReport, ANumberJustBeyondItsLimitHasTheDigitsThatTellItApartEverywhere) {
  ExerciseResult result = inefficient();
  result.gates[1].limit = 1;
  result.gates[1].value = 1.0009;
  result.gates[1].previous = 7;
  const std::string text = render_exercise(result, {});
  EXPECT_THAT(text, testing::ContainsRegex("✗ shared-wavefronts +1.001  limit +1.00"));
  EXPECT_THAT(text, HasSubstr("was 7.00, now 1.001, asked 1.00"));
  result.gates[1].previous = 1.00091;
  EXPECT_THAT(render_exercise(result, {}), Not(HasSubstr("was 1.001"))) << "nothing that shows has changed";
}

TEST(TextReport, ANumberThatSaysNothingIsNotShown) {
  ExerciseResult result = inefficient();
  result.gates[1].value = 0;
  result.gates[1].previous = 7;
  const std::string text = render_exercise(result, {});
  EXPECT_THAT(text, testing::ContainsRegex("✗ shared-wavefronts +-  limit +1.50"));
  EXPECT_THAT(text, Not(HasSubstr("was 7.00")));
}

TEST(TextReport, RemarksOnLinesOfRightCodeFollowTheGates) {
  ExerciseResult result = inefficient();
  result.remarks = {{{"transpose.cu", 9, "  cudaDeviceSynchronize();"}, "The host waits here."}};
  EXPECT_THAT(render_exercise(result, {}),
              HasSubstr("No points are lost by this, and it is worth knowing:\n\n    transpose.cu:9\n"));
  EXPECT_THAT(render_exercise(result, {}), HasSubstr("\n    The host waits here.\n"));
  EXPECT_THAT(render_json(report_of({result})), HasSubstr("\"remark\": \"The host waits here.\""));
}

TEST(TextReport, ARightAnswersRemarkIsThatOfTheLastCase) {
  ExerciseResult result = inefficient();
  result.cases[0].remark = "All procedures agree.";
  result.cases[1].remark = "The ancestors are those of C1.";
  EXPECT_THAT(
      render_text(report_of({result}), {}),
      AllOf(HasSubstr("passed in 1.8 s\n    The ancestors are those of C1.\n"), Not(HasSubstr("agree"))));
  result = wrong_answer();
  result.cases = {result.cases[2], {.name = "2 x 2", .remark = "The ancestors are those of C1."}};
  EXPECT_THAT(render_text(report_of({result}), {}), Not(HasSubstr("C1")));
}

TEST(TextReport, LinesThatAreTheCauseTogetherAreAllQuoted) {
  ExerciseResult result = inefficient();
  result.gates[1].worst = {{"scan.cu", 13, "a = in[i];"}, {"scan.cu", 22, "b = in[i];"}};
  result.gates[1].explanation = "lines 13, 22 together: loads bring 2 times the bytes of the input";
  EXPECT_THAT(render_text(report_of({result}), {}),
              testing::ContainsRegex("scan.cu:13\n.*\n.*\n +scan.cu:22\n.*\n.*\n\n +lines 13, 22 together"));
}

TEST(TextReport, AnExplanationThatDoesNotFitBesideItsPlaceIsAParagraph) {
  ExerciseResult result = inefficient();
  result.gates[1].explanation =
      "loads take 32 sectors per request, ideal 4; copies, fills, textures and surfaces are 82 % of all";
  const std::string text = render_text(report_of({result}), {});
  EXPECT_THAT(text, HasSubstr("transpose.cu:24\n"));
  EXPECT_THAT(
      text,
      HasSubstr("loads take 32 sectors per request, ideal 4; copies, fills, textures and surfaces are 82 %"));
  for (const std::string& line : split_lines(text)) EXPECT_LE(display_width(line), 100U) << line;
}

TEST(TextReport, TellsTheVerdictFirstAndTheNextStepLast) {
  const std::vector<std::string> lines = split_lines(render_exercise(wrong_answer(), {}));
  EXPECT_THAT(lines.at(1), HasSubstr("transpose: wrong-answer"));
  EXPECT_THAT(lines.back(), HasSubstr("./lockstep hint transpose"));
}

TEST(TextReport, ShowsNoEscapeSequenceOfASubmission) {
  EXPECT_THAT(render_text(report_of({hostile()}), {}), Not(HasSubstr("\x1B")));
  EXPECT_THAT(render_text(report_of({hostile()}), {.colour = true}), Not(HasSubstr("\x1B[2J")));
}

TEST(TextReport, CutsLongOutput) {
  ExerciseResult result = hostile();
  result.output.clear();
  for (int i = 0; i < 1000; ++i) result.output += std::string(1000, 'x') + '\n';
  const std::string text = render_exercise(result, {});
  EXPECT_LT(split_lines(text).size(), 40U);
  EXPECT_THAT(text, HasSubstr("992 more lines"));
}

/// What a submission may say: it would begin a line of a report, or end an element or a string of one.
constexpr const char* kForged = "x\n✓ forged\r\u0085✓\u2028✓\u009B\u202E\x1b[2J\xFF]]></failure>\"}";

/// Every text of a result in which something of the submission may stand.
ExerciseResult forged() {
  ExerciseResult result = inefficient();
  CaseResult failed = race().cases.front();
  failed.verdict = Verdict::wrong_answer;
  const Place place{kForged, 1, kForged};
  failed.name = failed.purpose = failed.message = failed.guess = failed.question = kForged;
  failed.mismatches = {{kForged, kForged, kForged}};
  failed.places = {place, place};
  result.cases = {failed, failed};
  for (GateResult& gate : result.gates) {
    gate.name = gate.description = gate.case_name = gate.explanation = gate.advice = kForged;
    gate.verdict = Verdict::inefficient;
    gate.worst = {place};
  }
  result.verdict = Verdict::compile_error;
  result.name = result.submission = result.message = result.next_step = kForged;
  result.compiler_output = result.output = kForged;
  result.compiler_error = {place, kForged, kForged};
  for (CaseResult& one : result.cases) one.output = kForged;
  result.measured_case = kForged;
  return result;
}

void expect_no_line_of_its_own(const std::string& text) {
  for (const char* character : {"\r", "\x1b", "\u0085", "\u009B", "\u2028", "\u202E", "\xFF"})
    EXPECT_THAT(text, Not(HasSubstr(character)));
  for (const std::string& line : split_lines(text)) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    EXPECT_FALSE(line.substr(begin).starts_with("✓ forged")) << text;
  }
}

TEST(TextReport, NothingThatASubmissionSaysBeginsALine) {
  Report report = report_of({forged()});
  report.warnings = {kForged};
  expect_no_line_of_its_own(render_text(report, {.width = 1000}));
}

TEST(TextReport, TellsHowManyLinesARepairChanged) {
  const std::string repaired = render_text(report_of({bug_hunt(4)}), {});
  EXPECT_THAT(repaired, HasSubstr("\n  ✓ 4 lines changed, at most 4\n"));
  const std::string anew = render_text(report_of({bug_hunt(5)}), {});
  EXPECT_THAT(anew, HasSubstr("\n  ✗ 5 lines changed, at most 4\n    The program was to be repaired"));
}

TEST(JsonReport, HoldsARepair) {
  const json exercise = json::parse(render_json(report_of({bug_hunt(5)}))).at("exercises").at(0);
  EXPECT_EQ(exercise.at("verdict"), "too-many-changes");
  EXPECT_EQ(exercise.at("repair"),
            json({{"changed_lines", 5}, {"max_changed_lines", 4}, {"verdict", "too-many-changes"}}));
}

TEST(JunitReport, HasATestForARepair) {
  EXPECT_THAT(render_junit(report_of({bug_hunt(4)})),
              HasSubstr(R"(<testcase classname="transpose.repair" name="changed lines" time="0.000"/>)"));
  EXPECT_THAT(render_junit(report_of({bug_hunt(5)})),
              HasSubstr(R"(<failure type="too-many-changes" message="5 lines changed, at most 4">)"));
}

TEST(JsonReport, HoldsTheGradingBeforeWhereThereWasOne) {
  ExerciseResult result = inefficient();
  json exercise = json::parse(render_json(report_of({result}))).at("exercises").at(0);
  EXPECT_FALSE(exercise.at("correctness").contains("previous_passed"));
  EXPECT_FALSE(exercise.at("technique").at("gates").at(1).contains("previous"));
  result.previous_passed = 1;
  result.gates[1].previous = 31;
  exercise = json::parse(render_json(report_of({result}))).at("exercises").at(0);
  EXPECT_EQ(exercise.at("correctness").at("previous_passed"), 1);
  EXPECT_EQ(exercise.at("technique").at("gates").at(1).at("previous"), 31);
}

TEST(JsonReport, NamesThePuzzlesAndWhoseACaseAndAGateIs) {
  const json exercise = json::parse(render_json(report_of({of_puzzles()}))).at("exercises").at(0);
  EXPECT_EQ(exercise.at("puzzles").size(), 3U);
  EXPECT_EQ(exercise.at("puzzles").at(2), json({{"name", "slope"},
                                                {"title", "subtract neighbours"},
                                                {"verdict", "compile-error"},
                                                {"points", 0.0},
                                                {"max_points", 2.0},
                                                {"message", "first_kernels.cu does not define slope"}}));
  EXPECT_EQ(exercise.at("correctness").at("cases").at(2).at("puzzle"), "blend");
  EXPECT_EQ(exercise.at("technique").at("gates").at(0).at("puzzle"), "limit");
  const json other = json::parse(render_json(report_of({inefficient()}))).at("exercises").at(0);
  EXPECT_FALSE(other.contains("puzzles"));
  EXPECT_EQ(exercise.at("speed").at("counts"), false);
  EXPECT_EQ(other.at("speed").at("counts"), true);
  EXPECT_FALSE(other.at("technique").at("gates").at(0).contains("puzzle"));
}

TEST(JsonReport, HasPredictionsAndWhatCouldNotBeRead) {
  const json exercise = json::parse(render_json(report_of({of_predictions()}))).at("exercises").at(0);
  const json& predictions = exercise.at("predictions");
  ASSERT_EQ(predictions.size(), 4U);
  EXPECT_EQ(predictions.at(0),
            json({{"name", "apart_sectors"},
                  {"question", "How many sectors does one load of a warp take in apart_kernel?"},
                  {"unit", "sectors per request"},
                  {"verdict", "wrong-answer"},
                  {"predicted", 4.0},
                  {"measured", 32.0},
                  {"why", "Neighbouring lanes are 32 bytes apart."},
                  {"places", {{{"file", "kernels.cu"}, {"line", 23}, {"text", "  out[i] = in[8 * i];"}}}}}));
  EXPECT_TRUE(predictions.at(1).at("measured").is_null()) << "it is withheld";
  EXPECT_EQ(predictions.at(2).at("verdict"), "passed");
  EXPECT_TRUE(predictions.at(3).at("predicted").is_null());
  EXPECT_EQ(exercise.at("unread").at(0).at("line"), 12);
  EXPECT_EQ(exercise.at("unread").at(1).at("remark"), "predictions.txt has no line for resident_warps.");
  EXPECT_FALSE(json::parse(render_json(report_of({race()}))).at("exercises").at(0).contains("predictions"));
}

TEST(JsonReport, NothingThatASubmissionSaysBreaksALineOrAString) {
  const json exercise = json::parse(render_json(report_of({forged()}))).at("exercises").at(0);
  expect_no_line_of_its_own(exercise.at("message"));
  std::vector<json> left = {exercise};
  while (!left.empty()) {
    const json one = std::move(left.back());
    left.pop_back();
    for (const auto& [key, value] : one.items()) {
      if (value.is_structured()) left.push_back(value);
      // These are whole texts, of many lines.
      if (!value.is_string() || key == "compiler_output" || key == "output") continue;
      EXPECT_THAT(value.get<std::string>(), Not(HasSubstr("\n"))) << key;
    }
  }
}

TEST(JunitReport, NothingThatASubmissionSaysBreaksALineOrAnElement) {
  const std::string text = render_junit(report_of({forged()}));
  EXPECT_THAT(text, Not(HasSubstr("]]></failure>")));
  // A line break of an attribute or an element, which stands for one in its text.
  std::string unescaped;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_break = text.compare(i, 5, "&#10;") == 0;
    unescaped += is_break ? '\n' : text[i];
    i += is_break ? 5 : 1;
  }
  const std::size_t output = unescaped.find("<system-out>");
  const std::size_t compiler = unescaped.find("\nx\n✓ forged");
  ASSERT_NE(compiler, std::string::npos) << "what the compiler says is whole";
  unescaped.resize(output);
  unescaped.erase(compiler, std::string("✓ forged").size() + 3);
  expect_no_line_of_its_own(unescaped);
}

TEST(JsonReport, EveryKind) { expect_golden("every_kind.json", render_json(every_kind())); }

TEST(JsonReport, HasTheFieldsOfTheSchema) {
  const json root = json::parse(render_json(every_kind()));
  EXPECT_EQ(root.at("schema"), "lockstep/result/v1");
  EXPECT_TRUE(root.at("device").at("kind").is_string());
  EXPECT_TRUE(root.at("device").at("name").is_string());
  ASSERT_EQ(root.at("exercises").size(), every_kind().exercises.size());
  for (const json& exercise : root.at("exercises")) {
    EXPECT_EQ(exercise.at("name"), "transpose");
    EXPECT_TRUE(verdict_from(exercise.at("verdict")));
    EXPECT_TRUE(exercise.at("points").is_number());
    EXPECT_TRUE(exercise.at("max_points").is_number());
    for (const json& one : exercise.at("correctness").at("cases")) {
      EXPECT_TRUE(one.at("name").is_string());
      EXPECT_TRUE(verdict_from(one.at("verdict")));
      EXPECT_TRUE(one.at("message").is_string());
    }
    for (const json& gate : exercise.at("technique").at("gates")) {
      EXPECT_TRUE(gate.at("name").is_string());
      EXPECT_TRUE(gate.at("value").is_number());
      EXPECT_TRUE(gate.at("limit").is_number());
      EXPECT_TRUE(verdict_from(gate.at("verdict")));
    }
    for (const char* field : {"verdict", "ratio", "interval", "ceiling_share", "ceiling", "between"}) {
      EXPECT_TRUE(exercise.at("speed").contains(field)) << field;
    }
  }
}

TEST(JsonReport, HoldsTheErrorThatIsFixedFirst) {
  const auto error_of = [](const ExerciseResult& result) {
    return json::parse(render_json(report_of({result}))).at("exercises").at(0).at("compiler_error");
  };
  EXPECT_TRUE(error_of(compile_error()).is_null());
  const json error = error_of(explained_compile_error());
  EXPECT_EQ(error.at("file"), "transpose.cu");
  EXPECT_EQ(error.at("line"), 13);
  EXPECT_EQ(error.at("message"), "expected a \";\"");
  EXPECT_THAT(error.at("meaning").get<std::string>(), HasSubstr("is missing"));
}

TEST(JsonReport, HoldsTheCaseThatWasRunAlone) {
  const json exercise = json::parse(render_json(report_of({one_case()}))).at("exercises").at(0);
  EXPECT_EQ(exercise.at("only_case"), "2 x 5");
  EXPECT_EQ(exercise.at("max_points"), 0);
  const json& one = exercise.at("correctness").at("cases").at(0);
  EXPECT_EQ(one.at("output"), "thread 0 reads 1\nthread 1 reads 2\n");
  EXPECT_EQ(one.at("call").at("call"), 2);
  const json& out = one.at("call").at("arguments").at(1);
  EXPECT_EQ(out.at("kind"), "output");
  EXPECT_EQ(out.at("size"), 200);
  EXPECT_EQ(out.at("values"), json::array({"1", "-2.5", "2"}));
  EXPECT_EQ(out.at("found").at(1), "never written");
}

TEST(JsonReport, WhatWasNotMeasuredIsNull) {
  ExerciseResult result = inefficient();
  result.gates[0].verdict = Verdict::not_measured;
  result.gates[1].value = std::numeric_limits<double>::infinity();
  const json exercise = json::parse(render_json(report_of({result}))).at("exercises").at(0);
  EXPECT_TRUE(exercise.at("technique").at("gates").at(0).at("value").is_null());
  EXPECT_TRUE(exercise.at("technique").at("gates").at(1).at("value").is_null());
  EXPECT_EQ(exercise.at("speed").at("verdict"), "not-measured");
  for (const char* field :
       {"ratio", "interval", "ceiling_share", "ceiling", "between", "call_seconds", "card"}) {
    EXPECT_TRUE(exercise.at("speed").at(field).is_null()) << field;
  }
}

TEST(JsonReport, HoldsMeasuredSpeed) {
  const json speed =
      json::parse(render_json(report_of({passed_on_a_gpu()}))).at("exercises").at(0).at("speed");
  EXPECT_EQ(speed.at("baseline"), "reference");
  EXPECT_EQ(speed.at("ratio"), 0.853);
  EXPECT_EQ(speed.at("points_share"), 0.97);
  EXPECT_EQ(speed.at("interval"), json::array({0.84, 0.87}));
  EXPECT_EQ(speed.at("ceiling_share"), 0.781);
  EXPECT_EQ(speed.at("ceiling").at("name"), "copied-bytes");
  EXPECT_EQ(speed.at("ceiling").at("rate"), 4.213e12);
  EXPECT_EQ(speed.at("ceiling").at("unit"), "B/s");
  EXPECT_EQ(speed.at("between"), json::array({"padded", "reference"}));
  EXPECT_EQ(speed.at("call_seconds"), 9.41e-5);
}

TEST(TextReport, NamesTheRungThatASpeedIsComparedWith) {
  ExerciseResult result = passed_on_a_gpu();
  result.speed.baseline = "tiled";
  result.speed.verdict = Verdict::too_slow;
  EXPECT_THAT(render_text(report_of({result}), {}),
              HasSubstr("speed 0.85 of the rung tiled's (0.84 to 0.87)"));
  EXPECT_THAT(render_junit(report_of({result})), HasSubstr("0.85 of the speed of the rung tiled"));
}

TEST(JsonReport, HoldsTheGpuWhereItTells) {
  ExerciseResult result = passed_on_a_gpu();
  EXPECT_TRUE(
      json::parse(render_json(report_of({result}))).at("exercises").at(0).at("speed").at("card").is_null());
  result.speed.gpu = throttled_gpu();
  const json gpu = json::parse(render_json(report_of({result}))).at("exercises").at(0).at("speed").at("card");
  EXPECT_EQ(gpu.at("sm_mhz"), 1410);
  EXPECT_TRUE(gpu.at("memory_mhz").is_null());
  EXPECT_EQ(gpu.at("temperature_celsius"), 88);
  EXPECT_EQ(gpu.at("power_watts"), 691.5);
  EXPECT_EQ(gpu.at("repeated_rounds"), 9);
  EXPECT_EQ(gpu.at("throttled_rounds"), 2);
  EXPECT_EQ(gpu.at("throttle_reasons"), json::array({"power cap", "software thermal slowdown"}));
}

TEST(JunitReport, HasATestForAPuzzleThatCouldNotBeRun) {
  const std::string text = render_junit(report_of({of_puzzles()}));
  EXPECT_THAT(text, HasSubstr("name=\"limit: parallelism\""));
  EXPECT_THAT(text, HasSubstr("name=\"slope\""));
  EXPECT_THAT(text, HasSubstr("first_kernels.cu does not define slope"));
  EXPECT_THAT(text, Not(HasSubstr("name=\"speed\"")));
}

TEST(JunitReport, HasATestForEachPrediction) {
  const std::string text = render_junit(report_of({of_predictions()}));
  EXPECT_THAT(text, HasSubstr("tests=\"4\" failures=\"3\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(text, HasSubstr("in apart_kernel? Predicted 4, measured 32.\""));
  EXPECT_THAT(text, HasSubstr("in thirds_kernel? Predicted 32.5.\""));
  EXPECT_THAT(text, HasSubstr("How many loads does each warp request? Not predicted.\""));
  EXPECT_THAT(text, HasSubstr("<system-out>predictions.txt:12: &quot;"));
  EXPECT_THAT(text, Not(HasSubstr("\x1B")));
}

TEST(JunitReport, EveryKind) { expect_golden("every_kind.xml", render_junit(every_kind())); }

TEST(JunitReport, HoldsTheCaseThatWasRunAloneAndTheErrorThatIsFixedFirst) {
  EXPECT_THAT(render_junit(report_of({one_case()})),
              HasSubstr("out: 200 float: 1 -2.5 2 …; found 1 never written 2"));
  EXPECT_THAT(render_junit(report_of({explained_compile_error()})),
              HasSubstr("transpose.cu:13:     out[i] = in[i]&#10;A ; is missing"));
}

TEST(JunitReport, TellsFailuresFromErrors) {
  EXPECT_THAT(render_junit(report_of({wrong_answer()})), HasSubstr("failures=\"3\" errors=\"0\""));
  const std::string broken = render_junit(report_of({grader_error()}));
  EXPECT_THAT(broken, HasSubstr("failures=\"0\" errors=\"1\""));
  EXPECT_THAT(broken, HasSubstr("<error type=\"grader-error\""));
}

TEST(JunitReport, IsWellFormedWhateverASubmissionPrints) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("lockstep-junit-" + std::to_string(getpid()) + ".xml");
  std::ofstream(file) << render_junit(every_kind());
  EXPECT_EQ(std::system(("xmllint --noout '" + file.string() + "'").c_str()), 0);
  std::filesystem::remove(file);
  EXPECT_THAT(render_junit(every_kind()), Not(HasSubstr("<testcase name=\"fake\"")));
}

}  // namespace
}  // namespace lockstep::test
