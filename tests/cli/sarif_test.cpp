// The two forms that editors and code scanning read: SARIF, held against the standard's own words, and lines
// as compilers print them.
//
// OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, https://docs.oasis-open.org/sarif/
// sarif/v2.1.0/os/sarif-v2.1.0-os.html; GitHub, SARIF support for code scanning, https://docs.github.com/en/
// code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "golden.h"
#include "report/lines.h"
#include "report/sarif.h"
#include "sample_reports.h"
#include "shell.h"

namespace lockstep::test {
namespace {

using namespace report;
using namespace result;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

json run_of(const Report& report) { return json::parse(render_sarif(report)).at("runs").at(0); }
json results_of(const ExerciseResult& result) { return run_of(report_of({result})).at("results"); }

/// "3.11.8: A message object SHALL contain a property named text [or id]"; 3.11.5: "the characters { and }
/// SHALL be represented by the character sequences {{ and }} respectively".
void expect_message(const json& message) {
  ASSERT_TRUE(message.at("text").is_string());
  std::string text = message.at("text");
  EXPECT_FALSE(text.empty());
  text = std::regex_replace(text, std::regex(R"(\{\{|\}\})"), "");
  EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
  EXPECT_THAT(text, Not(HasSubstr("](")));
}

/// 3.29.3: a physicalLocation has an artifactLocation; 3.30.5: startLine "SHALL [be] a positive integer";
/// 3.4.3: uri is a "valid URI reference", which RFC 3986 makes of these characters alone.
void expect_location(const json& location) {
  const json& physical = location.at("physicalLocation");
  const std::string uri = physical.at("artifactLocation").at("uri");
  EXPECT_TRUE(std::regex_match(uri, std::regex(R"((file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+)"))) << uri;
  EXPECT_GE(physical.at("region").at("startLine").get<int>(), 1);
  if (location.contains("message")) expect_message(location.at("message"));
}

void expect_rule(const json& rule) {
  EXPECT_TRUE(rule.at("id").is_string());  // 3.49.3: "SHALL contain a property named id"
  // Code scanning: "Required. A concise description of the rule", of at most 1024 characters; "Required. A
  // description of the rule", likewise; "Required. Documentation for the rule using text format".
  for (const char* text : {"shortDescription", "fullDescription", "help"}) {
    expect_message(rule.at(text));
    EXPECT_LE(rule.at(text).at("text").get<std::string>().size(), 1024U);
  }
}

/// 3.27.10: level is "none", "note", "warning" or "error"; code scanning: "At least one location must be
/// included", and at most 1000 are.
void expect_result(const json& result, const json& rules) {
  expect_message(result.at("message"));  // 3.27.11: "SHALL contain a property named message"
  EXPECT_TRUE(std::set<std::string>({"none", "note", "warning", "error"}).contains(result.at("level")));
  ASSERT_EQ(result.at("locations").size(),
            1U);  // 3.27.12: "SHALL NOT contain more than one element unless …"
  expect_location(result.at("locations").at(0));
  if (result.contains("relatedLocations")) {
    std::set<std::string> unique;  // 3.27.22: "an array of zero or more unique location objects"
    for (const json& related : result.at("relatedLocations")) {
      expect_location(related);
      EXPECT_TRUE(unique.insert(related.dump()).second) << related;
    }
  }
  // 3.27.6: ruleIndex is "the array index of theDescriptor", whose id 3.27.5 has in ruleId.
  EXPECT_EQ(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id"), result.at("ruleId"));
}

void expect_sarif(const Report& report) {
  const json log = json::parse(render_sarif(report));
  EXPECT_EQ(log.at("version"), "2.1.0");  // 3.13.2: "whose value is a string designating the version"
  EXPECT_EQ(log.at("$schema"),
            "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
  ASSERT_EQ(log.at("runs").size(), 1U);
  const json &run = log.at("runs").at(0), &driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "Lockstep");  // 3.19.8: "SHALL contain a property named name"
  std::set<std::string> ids;
  for (const json& rule : driver.at("rules")) {
    expect_rule(rule);
    EXPECT_TRUE(ids.insert(rule.at("id")).second) << rule.at("id");
  }
  for (const json& result : run.at("results")) expect_result(result, driver.at("rules"));
  ASSERT_EQ(run.at("invocations").size(), 1U);
  const json& invocation = run.at("invocations").at(0);
  EXPECT_TRUE(invocation.at("executionSuccessful").is_boolean());  // 3.20.14: "SHALL contain"
  for (const json& one : invocation.at("toolExecutionNotifications")) expect_message(one.at("message"));
}

TEST(SarifReport, HasWhatTheStandardAsksForOfEveryKind) {
  for (const Report& report :
       {every_kind(), report_of({explained_compile_error(), of_puzzles(), of_predictions(), bug_hunt(9)}),
        report_of({})})
    expect_sarif(report);
}

TEST(SarifReport, EveryVerdictThatIsReportedHasARule) {
  std::size_t reported = 0;
  for (int i = 0; std::string(name_of(static_cast<Verdict>(i))) != "unknown"; ++i) {
    ExerciseResult result = race();
    result.cases[0].verdict = static_cast<Verdict>(i);
    expect_sarif(report_of({result}));
    reported += results_of(result).size();
  }
  EXPECT_EQ(reported, 17U) << "of 20 all but passed, not-measured and the grader's own fault";
}

TEST(SarifReport, ARaceIsAtItsFirstLineAndRelatedToTheSecond) {
  const json results = results_of(race());
  ASSERT_EQ(results.size(), 1U);
  const json& race = results.at(0);
  EXPECT_EQ(race.at("ruleId"), "race");
  EXPECT_EQ(race.at("level"), "error");
  EXPECT_THAT(race.at("message").at("text"), AllOf(HasSubstr("race: "), HasSubstr(" (case 64 x 64)")));
  EXPECT_EQ(race.at("locations"), json::parse(R"([{
    "physicalLocation": {
      "artifactLocation": {"uri": "exercises/05-transpose/transpose.cu"},
      "region": {"startLine": 22,
                 "snippet": {"text": "  tile[threadIdx.y][threadIdx.x] = in[row * columns + column];"}}},
    "message": {"text": "first: writes"}}])"));
  ASSERT_EQ(race.at("relatedLocations").size(), 1U);
  const json& other = race.at("relatedLocations").at(0);
  EXPECT_EQ(other.at("physicalLocation").at("region").at("startLine"), 24);
  EXPECT_EQ(other.at("message").at("text"), "then: reads");
}

TEST(SarifReport, CasesThatFailAlikeAreOneResultAtTheFirstLineWhereNoneIsKnown) {
  const json results = results_of(wrong_answer());
  ASSERT_EQ(results.size(), 2U) << "a wrong answer in two cases, a time limit in one";
  EXPECT_EQ(results.at(0).at("message").at("text"),
            "wrong-answer: 2 082 of 2 145 elements of out are wrong. Likely cause: the output is the input "
            "unchanged: the matrix was copied, or transposed twice (case 33 x 65 and 1 more)");
  EXPECT_EQ(results.at(0).at("locations").at(0).at("physicalLocation").at("region").at("startLine"), 1);
  EXPECT_EQ(results.at(1).at("ruleId"), "time-limit");
}

TEST(SarifReport, WhatIsRightButNotGoodEnoughIsAWarningAndARemarkANote) {
  ExerciseResult result = inefficient();
  result.remarks = {{{"transpose.cu", 30, "  malloc(1);"}, "memory is made in every call"}};
  const json results = results_of(result);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results.at(0).at("level"), "warning");
  EXPECT_EQ(results.at(0).at("ruleId"), "inefficient");
  EXPECT_EQ(results.at(1).at("level"), "note");
  EXPECT_EQ(results.at(1).at("locations").at(0).at("physicalLocation").at("region").at("startLine"), 30);
}

TEST(SarifReport, APassHasNoResultsAndTheRunItsPoints) {
  const json run = run_of(report_of({passed_on_a_gpu(), inefficient()}));
  for (const json& result : run.at("results")) EXPECT_EQ(result.at("ruleId"), "inefficient");
  const json& properties = run.at("properties");
  EXPECT_EQ(properties.at("points"), 14.5);
  EXPECT_EQ(properties.at("maxPoints"), 20);
  EXPECT_EQ(properties.at("seed"), "42");
  EXPECT_EQ(properties.at("exercises").at(0), json::parse(R"({
    "name": "transpose", "submission": "exercises/05-transpose/transpose.cu", "verdict": "passed",
    "points": 9.5, "maxPoints": 10})"));
}

TEST(SarifReport, AFaultOfTheGraderIsNoResult) {
  const json run = run_of(report_of({grader_error()}));
  EXPECT_TRUE(run.at("results").empty());
  const json& invocation = run.at("invocations").at(0);
  EXPECT_EQ(invocation.at("executionSuccessful"), false);
  EXPECT_THAT(invocation.at("toolExecutionNotifications").at(0).at("message").at("text"),
              HasSubstr("The device process ended"));
  EXPECT_EQ(run_of(report_of({race()})).at("invocations").at(0).at("executionSuccessful"), true);
}

TEST(SarifReport, APredictionIsAtItsLine) {
  ExerciseResult result = of_predictions();
  result.source = "# numbers\napart_sectors_not = 3\n  apart_sectors = 4\nthirds_sectors=32.5\n";
  const json results = results_of(result);
  const auto line = [&results](std::size_t i) {
    return results.at(i).at("locations").at(0).at("physicalLocation").at("region").at("startLine").get<int>();
  };
  EXPECT_EQ(line(0), 3);
  EXPECT_EQ(line(1), 4);
  EXPECT_EQ(line(2), 1) << "it was not predicted";
  EXPECT_EQ(results.at(3).at("ruleId"), "unread-line");
  EXPECT_EQ(line(3), 12);
}

TEST(SarifReport, WhatASubmissionSaysIsNeitherPlaceholderNorLinkNorAddress) {
  ExerciseResult result = race();
  result.submission = "hand in/a:b%{0}#?\xFF.cu";
  result.cases[0].message = "{0} [click](https://example.org) \x1B[2J";
  for (Place& place : result.cases[0].places) place.file = "a:b%{0}#?\xFF.cu";
  expect_sarif(report_of({result}));
  const json found = results_of(result).at(0);
  EXPECT_THAT(found.at("message").at("text"), HasSubstr("{{0}} [click] (https://example.org)"));
  EXPECT_EQ(found.at("locations").at(0).at("physicalLocation").at("artifactLocation").at("uri"),
            "hand%20in/a%3Ab%25%7B0%7D%23%3F%FF.cu");
}

TEST(SarifReport, APathBelowTheWorkingFolderIsRelativeAndAnotherHasItsScheme) {
  const auto uri = [](const std::filesystem::path& file) {
    ExerciseResult result = compile_error();
    result.submission = file.string();
    return results_of(result)
        .at(0)
        .at("locations")
        .at(0)
        .at("physicalLocation")
        .at("artifactLocation")
        .at("uri")
        .get<std::string>();
  };
  EXPECT_EQ(uri(std::filesystem::current_path() / "work/./transpose.cu"), "work/transpose.cu");
  EXPECT_EQ(uri("/elsewhere/transpose.cu"), "file:///elsewhere/transpose.cu");
}

TEST(LinesReport, EveryKind) { expect_golden("every_kind_lines.txt", render_lines(every_kind())); }

TEST(LinesReport, EveryFindingIsALineAsCompilersPrintIt) {
  const std::string text = render_lines(report_of({race()}));
  EXPECT_THAT(text,
              testing::StartsWith("exercises/05-transpose/transpose.cu:22: error: race, first: writes: "));
  EXPECT_THAT(text, HasSubstr(" (case 64 x 64) [race]\n"
                              "exercises/05-transpose/transpose.cu:24: note: race, then: reads [race]\n"
                              "transpose: race, 0.0 of 10 points\nNext: Put a __syncthreads()"));
}

TEST(LinesReport, NothingThatASubmissionSaysBeginsALine) {
  ExerciseResult result = compile_error();
  result.message = "\ntranspose.cu:1: error: forged\n";
  result.compiler_error = {{"transpose.cu", 13, ""}, "\ntranspose.cu:2: error: forged", "\rforged"};
  EXPECT_THAT(render_lines(report_of({result})),
              AllOf(Not(HasSubstr("\ntranspose.cu:")), Not(HasSubstr("\r"))));
}

}  // namespace
}  // namespace lockstep::test
