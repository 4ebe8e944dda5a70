// The profile of a program with several kernels and files, from hand-made counters.
#include "report/program_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "golden.h"
#include "report/printable.h"
#include "report/source_files.h"
#include "sandbox/temporary_folder.h"
#include "text/wording.h"

namespace lockstep::test {
namespace {

using namespace report;
using namespace result;
using testing::HasSubstr;
using testing::Not;

emulator::LineCounters counters(const std::string& kernel, const std::string& file, unsigned line,
                                std::uint64_t warps) {
  emulator::LineCounters result;
  result.function = kernel;
  result.line = {file, line};
  result.warps = warps;
  result.lanes = 32 * warps;
  return result;
}

class ProgramProfileTest : public testing::Test {
 protected:
  ProgramProfileTest() {
    std::ofstream(folder_.path() / "sum.cu") << "__global__ void sum(const int* in, int* out) {\n"
                                                "  int value = in[32 * threadIdx.x];\n"
                                                "  if (value % 2) value = mixed(value);\n"
                                                "  atomicAdd(out, value);\n"
                                                "}\n";
    std::ofstream(folder_.path() / "mixed.cuh") << "__device__ int mixed(int value) {\n"
                                                   "  return value * 5 / 3;\n"
                                                   "}\n";
  }

  std::string file(const char* name) const { return (folder_.path() / name).string(); }

  emulator::Observations observed() const {
    emulator::LineCounters load = counters("_Z3sumPKiPi", file("sum.cu"), 2, 200);
    load.global_load = {.requests = 100,
                        .units = 3200,
                        .ideal_units = 400,
                        .bytes = 12800,
                        .spaced_requests = 100,
                        .spacing_bytes = 12800};
    emulator::LineCounters branch = counters("_Z3sumPKiPi", file("sum.cu"), 3, 300);
    branch.branches = 100;
    branch.divergent_branches = 100;
    branch.idle_caused = branch.idle_here = 0;
    branch.idle_caused = 32 * 900;
    emulator::LineCounters add = counters("_Z3sumPKiPi", file("sum.cu"), 4, 100);
    add.global_atomic = {.requests = 100, .units = 100, .ideal_units = 100, .bytes = 12800};
    add.global_contention = 3200;
    emulator::LineCounters inlined = counters("_Z3sumPKiPi", file("mixed.cuh"), 2, 1800);
    inlined.lanes /= 2;
    inlined.idle_here = 32 * 900;
    emulator::LineCounters other = counters("_Z5clearPi", file("mixed.cuh"), 2, 10);
    emulator::Observations seen;
    seen.lines = {inlined, load, branch, add, other};
    seen.launches = 7;
    return seen;
  }

  ProgramProfile profile(const emulator::Observations& seen) {
    SourceFiles sources;
    return profile_program("./sum", "1000 2", seen, sources);
  }

  /// The text with the temporary folder's name taken out.
  std::string rendered(const emulator::Observations& seen, std::size_t width = 100) {
    std::string text = render_program_profile(profile(seen), {.width = width});
    const std::string folder = folder_.path().string() + '/';
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }

  const sandbox::TemporaryFolder folder_{std::filesystem::temp_directory_path(), "lockstep-test-"};
};

TEST_F(ProgramProfileTest, Text) { expect_golden("program_profile.txt", rendered(observed())); }
TEST_F(ProgramProfileTest, NarrowText) {
  expect_golden("program_profile_narrow.txt", rendered(observed(), 60));
}

TEST_F(ProgramProfileTest, KernelsAreSortedByCostAndLinesSummedOverThem) {
  const ProgramProfile result = profile(observed());
  ASSERT_EQ(result.kernels.size(), 2U);
  EXPECT_EQ(result.kernels[0].name, "sum(int const*, int*)");
  EXPECT_EQ(result.kernels[1].name, "clear(int*)");
  ASSERT_EQ(result.lines.size(), 4U);
  EXPECT_EQ(result.lines[0].warps, 1810U) << "mixed.cuh:2 of both kernels";
  EXPECT_FALSE(result.lacks_lines);
}

TEST_F(ProgramProfileTest, StandsWithoutTheSources) {
  emulator::Observations seen = observed();
  for (emulator::LineCounters& line : seen.lines)
    line.line.file = "/no/such/place/" + line.line.file.substr(1);
  const std::string text = rendered(seen);
  EXPECT_THAT(text, HasSubstr("sum.cu:4"));
  EXPECT_THAT(text, HasSubstr("    4     100   100%"));
  EXPECT_THAT(text, Not(HasSubstr("atomicAdd")));
}

TEST_F(ProgramProfileTest, SaysOnceHowToGetLines) {
  emulator::Observations seen;
  seen.lines = {counters("_Z5clearPi", "", 0, 10), counters("_Z3sumPKiPi", "", 0, 20)};
  seen.launches = 2;
  const std::string text = rendered(seen);
  const std::size_t first = text.find("nvcc -lineinfo");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("nvcc -lineinfo", first + 1), std::string::npos);
  EXPECT_THAT(text, HasSubstr("    -      20   100%"));
  EXPECT_THAT(text, Not(HasSubstr("cost most")));
}

TEST_F(ProgramProfileTest, LongTablesShowTheCostliestLinesAndCountTheOthers) {
  emulator::Observations seen;
  for (unsigned line = 1; line <= 200; ++line)
    seen.lines.push_back(counters("_Z5clearPi", "/a.cu", line, 1000 + line));
  const std::string text = rendered(seen);
  EXPECT_THAT(text, HasSubstr("  141    1141"));
  EXPECT_THAT(text, Not(HasSubstr("  140    1140")));
  EXPECT_THAT(text, HasSubstr("140 lines with "));
}

TEST_F(ProgramProfileTest, Json) {
  const auto root = nlohmann::json::parse(render_program_profile_json(profile(observed())));
  EXPECT_EQ(root.at("schema"), "lockstep/profile/v1");
  EXPECT_EQ(root.at("name"), "./sum");
  EXPECT_EQ(root.at("case"), "1000 2");
  EXPECT_EQ(root.at("calls"), 7);
  EXPECT_TRUE(root.at("gates").empty());
  ASSERT_EQ(root.at("lines").size(), 5U);
  const auto& inlined = root.at("lines").at(0);
  EXPECT_EQ(inlined.at("kernel"), "sum(int const*, int*)");
  EXPECT_EQ(inlined.at("file"), file("mixed.cuh"));
  EXPECT_EQ(inlined.at("text"), "  return value * 5 / 3;");
  EXPECT_EQ(inlined.at("idle_here"), 32 * 900);
  const auto& add = root.at("lines").at(3);
  EXPECT_EQ(add.at("global_atomics").at("contention"), 3200);
  EXPECT_EQ(root.at("lines").at(1).at("global").at("spacing_bytes"), 12800);
  EXPECT_EQ(root.at("cases").at(0).at("kernels").at(1).at("counters").at("global-load-sectors"), 0);
}

TEST_F(ProgramProfileTest, WhatIsNoSourceIsNotRead) {
  SourceFiles sources;
  EXPECT_EQ(sources.line("/dev/zero", 1), "");
  EXPECT_EQ(sources.line(folder_.path().string(), 1), "");
  EXPECT_EQ(sources.line(file("sum.cu"), 0), "");
  EXPECT_EQ(sources.line(file("sum.cu"), 4), "  atomicAdd(out, value);");
  EXPECT_EQ(sources.line(file("sum.cu"), 6), "");
}

TEST(SourceFiles, PathsBelowTheWorkingDirectoryAreShort) {
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(text::shown_path((here / "a/b.cu").string()), "a/b.cu");
  EXPECT_EQ(text::shown_path("/elsewhere/b.cu"), "/elsewhere/b.cu");
}

}  // namespace
}  // namespace lockstep::test
