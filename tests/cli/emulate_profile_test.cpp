// `lockstep emulate --profile` as its user meets it: a program of several kernels, built by nvcc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "shell.h"

namespace lockstep::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Ran profile(const std::string& options, const std::string& program = "profiled") {
  return run("'" LOCKSTEP_EXECUTABLE "' emulate --profile " + options + " '" PROGRAMS_FOLDER "/" + program +
             "' 2>&1");
}

/// The number of the line of profiled.cu that holds `text`.
unsigned line_with(const std::string& text) {
  std::ifstream file(LOCKSTEP_SOURCE "/tests/cli/programs/profiled.cu");
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  throw std::out_of_range("no line with " + text);
}

class EmulateProfile : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(EmulateProfile, ComesAfterWhatTheProgramPrints) {
  const Ran ran = profile("");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.output,
              StartsWith("no error\n\nCounted on the emulated device: 3 launches of 3 kernels.\n"));
  for (const char* part :
       {"gather_kernel(int const*, int*)  ", "diverge_kernel(int*)  ", "count_kernel(int*, int const*)  ",
        "tests/cli/programs/profiled.cu\n", "  out[threadIdx.x] = in[64 * threadIdx.x];",
        "collatz_steps(27);", "The lines that cost most\n"}) {
    EXPECT_THAT(ran.output, HasSubstr(part));
  }
  EXPECT_THAT(ran.output, Not(HasSubstr("-lineinfo")));
}

TEST_F(EmulateProfile, CountsAreThoseOfTheKernels) {
  const std::filesystem::path file = folder_.path() / "profile.json";
  const Ran ran = profile("--format json --output '" + file.string() + "'");
  EXPECT_EQ(ran.output, "no error\n") << "the profile is in its file alone";
  const auto root = nlohmann::json::parse(contents_of(file));
  EXPECT_EQ(root.at("schema"), "lockstep/profile/v1");
  EXPECT_EQ(root.at("calls"), 3);
  const auto line = [&](const std::string& text) -> nlohmann::json {
    for (const auto& one : root.at("lines")) {
      if (one.at("line") == line_with(text) && one.at("file").get<std::string>().ends_with("profiled.cu"))
        return one;
    }
    throw std::out_of_range("not in the profile: " + text);
  };
  const auto gather = line("in[64 *");
  EXPECT_EQ(gather.at("global").at("units"), 32 + 4) << "32 sectors are read, 4 written";
  EXPECT_EQ(gather.at("global").at("spacing_bytes"), 256);
  EXPECT_THAT(gather.at("advice").get<std::string>(), HasSubstr("256 bytes apart"));
  const auto part = line("if (threadIdx.x % 2");
  EXPECT_EQ(part.at("divergent_branches"), 1);
  EXPECT_EQ(part.at("branches"), 1);
  const auto loop = line("collatz_steps(27)");
  EXPECT_EQ(loop.at("active_share"), 0.5) << "the even lanes are idle, and the branch is charged for that";
  EXPECT_EQ(loop.at("idle_here"), 16 * loop.at("warps").get<int>());
  EXPECT_GE(part.at("idle_caused"), loop.at("idle_here"));
  const auto count = line("atomicAdd");
  EXPECT_EQ(count.at("global_atomics").at("requests"), 3);
  EXPECT_EQ(count.at("global_atomics").at("contention"), 96);
}

TEST_F(EmulateProfile, LaunchesOfGraphsAndThoseThatNobodyWaitsForCount) {
  const std::filesystem::path file = folder_.path() / "profile.json";
  const Ran ran = profile("--format json --output '" + file.string() + "'", "profiled_graph");
  EXPECT_EQ(ran.output, "no error\n");
  const auto root = nlohmann::json::parse(contents_of(file));
  EXPECT_EQ(root.at("calls"), 3 * 2 + 1);
  nlohmann::json atomics;
  for (const auto& line : root.at("lines")) {
    if (!line.at("global_atomics").is_null()) atomics = line.at("global_atomics");
  }
  EXPECT_EQ(atomics.at("requests"), 3 * (1 + 2) + 1) << "one for each warp";
}

TEST_F(EmulateProfile, ReturnsTheProgramsExitStatus) {
  EXPECT_EQ(run("'" LOCKSTEP_EXECUTABLE "' emulate --profile '" PROGRAMS_FOLDER "/profiled' 42").status, 42);
}

TEST_F(EmulateProfile, AProfileThatCannotBeWrittenIsAFailureOfItsOwn) {
  const std::string options = "--output /proc/nobody-writes-here";
  EXPECT_EQ(profile(options).status, 3);
  EXPECT_EQ(
      run("'" LOCKSTEP_EXECUTABLE "' emulate --profile " + options + " '" PROGRAMS_FOLDER "/profiled' 42")
          .status,
      42)
      << "the program's own failure comes first";
}

TEST_F(EmulateProfile, ATracedLineIsDrawn) {
  const std::string line = std::to_string(line_with("in[64 *"));
  const std::filesystem::path figure = folder_.path() / "figure.svg";
  const Ran ran = profile("--trace profiled.cu:" + line + " --space global --svg '" + figure.string() + "'");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.output, HasSubstr("global load, 4 bytes per lane: 32 sectors, ideal 4"));
  EXPECT_THAT(ran.output, HasSubstr("global store, 4 bytes per lane: 4 sectors, ideal 4"));
  EXPECT_THAT(contents_of(figure), HasSubstr("32 sectors, ideal 4"));
  EXPECT_EQ(run("xmllint --noout '" + figure.string() + "' 2>&1").status, 0);
}

TEST_F(EmulateProfile, AnAtomicIsDrawnByAddress) {
  const Ran ran = profile("--trace " + std::to_string(line_with("atomicAdd")));
  EXPECT_THAT(ran.output, HasSubstr("32 lanes meet at one address"));
}

TEST_F(EmulateProfile, ALineWithoutAccessesNamesThoseThatHaveSome) {
  const Ran ran = profile("--trace 1");
  EXPECT_EQ(ran.status, 0) << "the program's own";
  EXPECT_THAT(ran.output, HasSubstr("no warp touched global or shared memory at line 1; lines that do: "));
  const Ran elsewhere = profile("--trace ofiled.cu:" + std::to_string(line_with("in[64 *")));
  EXPECT_THAT(elsewhere.output, HasSubstr("no warp touched")) << "half of a file's name is none";
}

TEST_F(EmulateProfile, WithoutLineInformationKernelsAreCountedAndTheRemedyToldOnce) {
  const Ran ran = profile("", "profiled_without_lines");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.output, HasSubstr("gather_kernel(int const*, int*)  "));
  const std::size_t first = ran.output.find("nvcc -lineinfo");
  ASSERT_NE(first, std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("nvcc -lineinfo", first + 1), std::string::npos);
}

TEST_F(EmulateProfile, OptionsStandBeforeTheProgram) {
  for (const char* options :
       {"emulate --trace 5 ./program", "emulate --format json ./program",
        "emulate --profile --svg a.svg ./program", "emulate --profile --space global ./program",
        "emulate --profile --format json --trace 5 ./program", "emulate --profile --trace nowhere ./program",
        "emulate --profile", "emulate --profle ./program"}) {
    EXPECT_EQ(run("'" LOCKSTEP_EXECUTABLE "' " + std::string(options) + " 2>&1").status, 2) << options;
  }
  EXPECT_THAT(run("'" LOCKSTEP_EXECUTABLE "' emulate --profle ./program 2>&1").output,
              HasSubstr("no option --profle"));
}

}  // namespace
}  // namespace lockstep::test
