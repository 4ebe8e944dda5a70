// Reports that were kept as JSON come back as they were.
#include "report/read_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/json.h"
#include "report/junit.h"
#include "sample_reports.h"

namespace lockstep::test {
namespace {

using report::JsonError;
using report::read_json;
using report::render_json;
using result::ExerciseResult;

/// With whatever the samples leave out.
ExerciseResult on_a_ladder() {
  ExerciseResult result = passed_on_a_gpu();
  result.speed.ladder = {{"naive", 0.2}, {"padded", 0.8}, {"reference", 1}};
  result.speed.on_ladder = 0.853;
  result.speed.ladder_gpu = "NVIDIA H200";
  result.speed.ladder_size = "n = 20";
  result.speed.size = "2048 x 1536";
  result.speed.gpu = throttled_gpu();
  result.previous_passed = 3;
  result.gates.front().previous = 31.5;
  result.remarks = {{{"transpose.cu", 3, "code"}, "The host waits here."}};
  result.seed_digest = "0123abcd";
  return result;
}

TEST(ReadJson, GivesWhatWasWritten) {
  result::Report report = every_kind();
  for (const ExerciseResult& one :
       {explained_compile_error(), one_case(), of_puzzles(), bug_hunt(5), of_predictions(), on_a_ladder()})
    report.exercises.push_back(one);
  for (const std::string seed :
       {"", "42", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"}) {
    report.seed = seed;
    const std::string written = render_json(report);
    const result::Report read = read_json(written);
    EXPECT_EQ(render_json(read), written);
    EXPECT_EQ(report::render_junit(read), report::render_junit(report));
  }
  const ExerciseResult read = read_json(render_json(report_of({on_a_ladder()}))).exercises.at(0);
  ASSERT_EQ(read.speed.ladder.size(), 3U);
  EXPECT_EQ(read.speed.ladder[1].name, "padded");
  EXPECT_EQ(read.speed.ladder[1].speed, 0.8);
  EXPECT_EQ(read.speed.on_ladder, 0.853);
  EXPECT_EQ(read.speed.ladder_gpu, "NVIDIA H200");
  EXPECT_EQ(read.speed.ladder_size, "n = 20");
}

TEST(ReadJson, WhatIsNoReportIsAnError) {
  const std::string whole = render_json(every_kind());
  for (const std::string& bad : {std::string(), std::string("[]"), whole.substr(0, whole.size() / 2),
                                 std::string(R"({"schema": "lockstep/result/v1"})"),
                                 std::string(R"({"schema": "lockstep/class/v1"})")})
    EXPECT_THROW(read_json(bad), JsonError) << bad.substr(0, 40);
  std::string odd = whole;
  odd.replace(odd.find("\"wrong-answer\""), 14, "\"right-answer\"");
  EXPECT_THROW(read_json(odd), JsonError);
}

}  // namespace
}  // namespace lockstep::test
