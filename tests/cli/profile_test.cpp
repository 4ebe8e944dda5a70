// The profile of a kernel from hand-made counters.
#include "report/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden.h"
#include "report/advice.h"
#include "report/printable.h"
#include "sample_reports.h"

namespace lockstep::test {
namespace {

using namespace report;
using namespace result;
using testing::HasSubstr;

constexpr const char* kSource = R"(__global__ void kernel(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[i];
  out[i * 32] = tile[threadIdx.x][threadIdx.y];
}
)";

emulator::LineCounters counters(const char* file, unsigned line, std::uint64_t warps, std::uint64_t lanes) {
  emulator::LineCounters result;
  result.line = {file, line};
  result.warps = warps;
  result.lanes = lanes;
  return result;
}

ExerciseResult profiled() {
  ExerciseResult result = inefficient();
  emulator::LineCounters index = counters("/somewhere/transpose.cu", 2, 300, 9600);
  emulator::LineCounters load = counters("/somewhere/transpose.cu", 3, 200, 6400);
  load.global_load = {.requests = 100, .units = 400, .ideal_units = 400, .bytes = 12800};
  load.shared_store = {.requests = 100, .units = 100, .ideal_units = 100, .bytes = 12800};
  emulator::LineCounters store = counters("/somewhere/transpose.cu", 4, 200, 3200);
  store.shared_load = {.requests = 100, .units = 3200, .ideal_units = 100, .bytes = 12800};
  store.global_store = {.requests = 100, .units = 1600, .ideal_units = 200, .bytes = 6400};
  emulator::LineCounters header = counters("/toolkit/include/header.h", 3, 1'000'000, 32'000'000);
  emulator::LineCounters other_kernel = counters("/somewhere/transpose.cu", 2, 20'000, 640'000);
  result.measured_case = "2048 x 1536";
  result.measured_calls = 2;
  result.lines = {index, load, store, header, other_kernel};
  result.kernels = {{.kernel = "_Z12clear_kernelPf", .launches = 2, .blocks = 2, .work = 160, .span = 160},
                    {.kernel = "_Z16transpose_kernelPKfPfii",
                     .launches = 2,
                     .blocks = 6144,
                     .work = 5'898'240,
                     .span = 1920}};
  return result;
}

TEST(Profile, Text) {
  const ExerciseResult result = profiled();
  expect_golden("profile.txt", render_profile(result, profile_lines(result, "transpose.cu", kSource), {}));
}

TEST(Profile, JsonHoldsTheKernels) {
  const ExerciseResult result = profiled();
  const auto root =
      nlohmann::json::parse(render_profile_json(result, profile_lines(result, "transpose.cu", kSource)));
  ASSERT_EQ(root.at("kernels").size(), 2U);
  const auto& kernel = root.at("kernels").at(1);
  EXPECT_EQ(kernel.at("name"), "transpose_kernel(float const*, float*, int, int)");
  EXPECT_EQ(kernel.at("launches"), 2);
  EXPECT_EQ(kernel.at("blocks"), 6144);
  EXPECT_EQ(kernel.at("work"), 5'898'240);
  EXPECT_EQ(kernel.at("span"), 1920);
  EXPECT_EQ(kernel.at("parallelism"), 3072);
  EXPECT_EQ(root.at("gates").at(0).at("at_least"), false);
  EXPECT_EQ(root.at("gates").at(2).at("at_least"), true);
}

TEST(Profile, SumsKernelsAndLeavesOutHeaders) {
  const auto lines = profile_lines(profiled(), "transpose.cu", kSource);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].warps, 20'300U);
  EXPECT_DOUBLE_EQ(lines[2].active_share(), 0.5);
  EXPECT_EQ(lines[1].text, "  tile[threadIdx.y][threadIdx.x] = in[i];");
}

TEST(Profile, LeavesOutColumnsWithoutAnythingInThem) {
  ExerciseResult result = profiled();
  const auto text = [&] {
    return render_profile(result, profile_lines(result, "transpose.cu", kSource), {});
  };
  EXPECT_THAT(text(), Not(HasSubstr("atomics")));
  EXPECT_THAT(text(), Not(HasSubstr("branches")));
  result.lines[0].branches = 100;
  EXPECT_THAT(text(), Not(HasSubstr("branches"))) << "no branch diverged";
  result.lines[0].divergent_branches = 25;
  result.lines[0].idle_caused = 3200;
  EXPECT_THAT(text(), HasSubstr("   25%    100"));
  result.lines[2].global_atomic = {.requests = 50, .units = 50, .ideal_units = 50, .bytes = 6400};
  result.lines[2].global_contention = 800;
  EXPECT_THAT(text(), HasSubstr("atomics"));
  EXPECT_THAT(text(), HasSubstr("   16.0"));
  result.lines = {result.lines[0]};
  EXPECT_THAT(text(), Not(HasSubstr("per req")));
}

TEST(Profile, KeepsToThePageHoweverNarrow) {
  ExerciseResult result = profiled();
  result.lines[0].branches = result.lines[0].divergent_branches = 100;
  result.lines[2].global_atomic = {.requests = 50, .units = 50, .ideal_units = 50, .bytes = 6400};
  const auto lines = profile_lines(result, "transpose.cu", kSource);
  for (const std::size_t width : {80, 100}) {
    for (const std::string& line : split_lines(render_profile(result, lines, {.width = width})))
      EXPECT_LE(display_width(line), width) << line;
  }
  // The counters take 73 columns; what a terminal of 60 breaks is theirs alone.
  for (const std::string& line : split_lines(render_profile(result, lines, {.width = 60}))) {
    if (line.find_first_of("|=(") == std::string::npos) continue;
    EXPECT_LE(display_width(line), 60U) << line;
  }
}

// A wavefront occupies shared memory for as long as four warp-instructions occupy their schedulers.
TEST(Profile, RanksConflictsAboveAsManyInstructions) {
  LineProfile arithmetic, conflicts;
  arithmetic.line = 1;
  arithmetic.warps = 1000;
  conflicts.line = 2;
  conflicts.warps = 100;
  conflicts.shared = {.requests = 100, .units = 300, .ideal_units = 100, .bytes = 12800};
  EXPECT_EQ(costliest({arithmetic, conflicts}).front().line, 2U);
}

TEST(Profile, ChargesABranchForTheSlotsInWhichLanesWait) {
  LineProfile branch, arm;
  branch.line = 1;
  branch.warps = 100;
  branch.idle_caused = 32 * 1000;
  arm.line = 2;
  arm.warps = 2000;
  arm.lanes = 2000 * 16;
  arm.idle_here = 32 * 1000;
  EXPECT_EQ(branch.cost(), 1100U);
  EXPECT_EQ(arm.cost(), 1000U) << "half of each slot is the branch's";
}

TEST(Profile, Json) {
  ExerciseResult result = profiled();
  result.verdict = Verdict::time_limit;
  result.counters = {{"64 x 64", 2, {{"_Z1aPf", {}, {}}}}};
  result.counters[0].kernels[0].emulated.shared_load.units = 7;
  const auto root =
      nlohmann::json::parse(render_profile_json(result, profile_lines(result, "transpose.cu", kSource)));
  EXPECT_EQ(root.at("schema"), "lockstep/profile/v1");
  EXPECT_EQ(root.at("case"), "2048 x 1536");
  EXPECT_EQ(root.at("calls"), 2);
  EXPECT_EQ(root.at("verdict"), "time-limit");
  EXPECT_EQ(root.at("lines").size(), 3U);
  EXPECT_EQ(root.at("lines").at(2).at("global_atomics"), nullptr);
  EXPECT_EQ(root.at("lines").at(2).at("shared").at("units"), 3200);
  EXPECT_TRUE(root.at("lines").at(0).at("global").is_null());
  const auto& one = root.at("cases").at(0);
  EXPECT_EQ(one.at("name"), "64 x 64");
  EXPECT_EQ(one.at("calls"), 2);
  EXPECT_EQ(one.at("kernels").at(0).at("name"), "a(float*)");
  EXPECT_EQ(one.at("kernels").at(0).at("counters").at("shared-load-wavefronts"), 7);
}

}  // namespace
}  // namespace lockstep::test
