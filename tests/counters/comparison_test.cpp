// Counters of two devices side by side, from hand-made ones.
#include "report/counter_comparison.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace lockstep::report {
namespace {

using result::ExerciseResult;

using testing::HasSubstr;
using testing::Not;

emulator::LineCounters line(const char* kernel, unsigned number, std::uint64_t requests,
                            std::uint64_t sectors) {
  emulator::LineCounters counters;
  counters.function = kernel;
  counters.line = {"kernel.cu", number};
  counters.global_load = {.requests = requests, .units = sectors};
  return counters;
}

ExerciseResult compared() {
  emulator::Observations emulated, hardware;
  emulated.lines = {line("_Z1aPf", 1, 100, 400), line("_Z1aPf", 2, 10, 40), line("_Z1bPf", 5, 7, 7)};
  hardware.lines = {line("_Z1aPf", 0, 110, 550)};
  ExerciseResult result;
  result.name = "transpose";
  result.submission = "tiled.cu";
  result.counters = {result::side_by_side("64 x 64", 2, emulated, hardware)};
  return result;
}

TEST(CounterComparison, SumsTheLinesOfAKernelAndKeepsWhatOneDeviceAloneSaw) {
  const auto kernels = compared().counters.at(0).kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].kernel, "_Z1aPf");
  EXPECT_EQ(kernels[0].emulated.global_load.requests, 110U);
  EXPECT_EQ(kernels[0].emulated.global_load.units, 440U);
  EXPECT_EQ(kernels[0].hardware.global_load.units, 550U);
  EXPECT_EQ(kernels[1].emulated.global_load.requests, 7U);
  EXPECT_EQ(kernels[1].hardware.global_load.requests, 0U);
}

TEST(CounterComparison, Text) {
  const std::string text = render_counters(compared(), "NVIDIA H200", {});
  EXPECT_THAT(text, HasSubstr("Counted on the emulated device and on the NVIDIA H200."));
  EXPECT_THAT(text, HasSubstr("tiled.cu, case 64 x 64, 2 calls\n  a(float*)\n"));
  EXPECT_THAT(text, HasSubstr("global loads: requests                110          110    1.000  equal\n"));
  EXPECT_THAT(text, HasSubstr("global loads: sectors                 440          550    1.250  differs\n"));
  EXPECT_THAT(text, Not(HasSubstr("atomics"))) << "neither device saw any";
}

TEST(CounterComparison, Json) {
  const auto root = nlohmann::json::parse(render_counters_json(compared(), "NVIDIA H200", 132, 5));
  EXPECT_EQ(root.at("schema"), "lockstep/counters/v1");
  EXPECT_EQ(root.at("card"), "NVIDIA H200");
  EXPECT_EQ(root.at("multiprocessors"), 132);
  EXPECT_EQ(root.at("seed"), 5);
  const auto& one = root.at("cases").at(0);
  EXPECT_EQ(one.at("calls"), 2);
  const auto& sectors = one.at("kernels").at(0).at("counters").at("global-load-sectors");
  EXPECT_EQ(sectors.at("emulated"), 440);
  EXPECT_EQ(sectors.at("hardware"), 550);
  EXPECT_DOUBLE_EQ(sectors.at("ratio"), 1.25);
  EXPECT_FALSE(sectors.at("equal"));
  EXPECT_TRUE(one.at("kernels").at(0).at("counters").at("shared-load-requests").at("ratio").is_null());
}

}  // namespace
}  // namespace lockstep::report
