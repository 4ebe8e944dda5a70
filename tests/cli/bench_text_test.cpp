// What bench measured, as tables, as JSON, and as the ladder that grade reads back from it.
#include "report/bench.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace lockstep::report {
namespace {

using result::Bench;
using result::BenchRow;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

BenchRow row(const std::string& folder, const std::string& label, const std::string& size, double seconds,
             double ratio) {
  return {.solution = "10-scan/" + folder + label,
          .label = label,
          .size = size,
          .elements = 1e6,
          .bytes = 8e6,
          .work = 4e6,
          .rounds = 9,
          .seconds = seconds,
          .interval = {0.9 * seconds, 1.1 * seconds},
          .ratio = ratio};
}

Bench sample() {
  return {
      .exercise = "scan",
      .gpu = {"NVIDIA H200", "GPU-1", "580.1"},
      .toolkit = "13.0",
      .date = "2026-11-21",
      .commit = "1234567",
      .command = "./lockstep bench scan",
      .copy_bandwidth = 4e12,
      .ceiling = {"fused-multiply-adds", "the fused multiply-adds this GPU can do", 2e12, "/s"},
      .rows = {row("rungs/", "three_pass", "n = 10", 8e-6, 0.5), row("", "reference", "n = 10", 4e-6, 1),
               row("peers/", "cub", "n = 10", 5e-6, 0.8), row("rungs/", "three_pass", "n = 20", 1e-3, 0.25),
               row("", "reference", "n = 20", 25e-5, 1)},
      .left_out = {"n = 30 was left out: there is too little memory"}};
}

TEST(BenchText, HasARowASizeAndAColumnASolution) {
  const std::string text = render_bench(sample(), {});
  EXPECT_THAT(text, HasSubstr("scan on NVIDIA H200, driver 580.1, 2026-11-21"));
  EXPECT_THAT(text, HasSubstr("        three_pass  reference        cub\n"
                              "n = 10     8.00 us    4.00 us    5.00 us\n"
                              "n = 20     1.00 ms     250 us          –\n"));
  EXPECT_THAT(text, HasSubstr("\nShare of the fused multiply-adds this GPU can do (2.00 T/s)\n"));
  EXPECT_THAT(text, HasSubstr("n = 10        25 %       50 %       40 %\n"));
  EXPECT_THAT(text, HasSubstr("n = 30 was left out: there is too little memory.\n"));
}

TEST(BenchText, WhatWasLeftOutLeavesItsColumnEmpty) {
  Bench bench = sample();
  bench.rows.erase(bench.rows.begin() + 3);
  EXPECT_THAT(render_bench(bench, {}), HasSubstr("n = 20           –     250 us          –\n"));
}

TEST(BenchJson, HoldsEveryRowWithWhereItWasMeasured) {
  const auto json = nlohmann::json::parse(render_bench_json(sample()));
  EXPECT_EQ(json.at("schema"), "lockstep/measurement/v1");
  EXPECT_EQ(json.at("card"), "NVIDIA H200");
  EXPECT_EQ(json.at("commit"), "1234567");
  EXPECT_EQ(json.at("copy_bandwidth"), 4e12);
  EXPECT_EQ(json.at("ceiling").at("name"), "fused-multiply-adds");
  EXPECT_EQ(json.at("ceiling").at("rate"), 2e12);
  EXPECT_EQ(json.at("ceiling").at("unit"), "/s");
  ASSERT_EQ(json.at("results").size(), 5U);
  EXPECT_EQ(json.at("results").at(0).at("name"), "10-scan/rungs/three_pass");
  EXPECT_EQ(json.at("results").at(0).at("seconds"), 8e-6);
  EXPECT_EQ(json.at("results").at(0).at("work"), 4e6);
  EXPECT_EQ(json.at("results").at(3).at("size"), "n = 20");
}

TEST(RecordedRungs, AreThoseOfTheGpuAndTheSize) {
  const std::string json = render_bench_json(sample());
  EXPECT_THAT(recorded_rungs(json, "NVIDIA H200", "n = 20"), ElementsAre(Pair("three_pass", 0.25)));
  EXPECT_THAT(recorded_rungs(json, "NVIDIA H200", "n = 30"), IsEmpty());
  EXPECT_THAT(recorded_rungs(json, "NVIDIA T4", "n = 20"), IsEmpty());
}

TEST(RecordedRungs, AreNoneOfADamagedRecord) {
  for (const char* text :
       {"", "[", "[]", "{}", R"({"schema": "lockstep/measurement/v1", "card": "c", "results": 3})",
        R"({"schema": "lockstep/measurement/v1", "card": "c", "results": [3, {"size": "s", "name": 1}]})"}) {
    EXPECT_THAT(recorded_rungs(text, "c", "s"), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace lockstep::report
