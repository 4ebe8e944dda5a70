// Observations of several launches add up line by line, in the order of the sources.
#include "judge/observation_sum.h"

#include <gtest/gtest.h>

namespace lockstep::judge {
namespace {

emulator::Observations one_line(const std::string& kernel, unsigned line, std::uint64_t sectors) {
  emulator::Observations observations;
  emulator::LineCounters counters;
  counters.function = kernel;
  counters.line = {"a.cu", line};
  counters.warps = 1;
  counters.global_load.units = sectors;
  counters.local_store.bytes = 3;
  observations.lines = {counters};
  observations.kernels = {{.kernel = kernel, .launches = 1, .blocks = line, .work = 100, .span = sectors}};
  observations.launches = 1;
  observations.copied_sectors = sectors;
  return observations;
}

TEST(ObservationSum, AddsLineByLineInOrder) {
  emulator::Observations total;
  add(total, one_line("b", 7, 4));
  add(total, one_line("b", 5, 1));
  add(total, one_line("a", 9, 2));
  add(total, one_line("b", 7, 8));
  ASSERT_EQ(total.lines.size(), 3U);
  EXPECT_EQ(total.lines[0].function, "a");
  EXPECT_EQ(total.lines[1].line.line, 5U);
  EXPECT_EQ(total.lines[2].line.line, 7U);
  EXPECT_EQ(total.lines[2].global_load.units, 12U);
  EXPECT_EQ(total.lines[2].local_store.bytes, 6U);
  EXPECT_EQ(total.lines[2].warps, 2U);
  ASSERT_EQ(total.kernels.size(), 2U);
  EXPECT_EQ(total.kernels[0].kernel, "a");
  EXPECT_EQ(total.kernels[1].kernel, "b");
  EXPECT_EQ(total.kernels[1].launches, 3U);
  EXPECT_EQ(total.kernels[1].blocks, 19U);
  EXPECT_EQ(total.kernels[1].work, 300U);
  EXPECT_EQ(total.kernels[1].span, 13U);
  EXPECT_EQ(total.launches, 4U);
  EXPECT_EQ(total.copied_sectors, 15U);
}

TEST(ObservationSum, KeepsTheAccessesOfOneCallOfEachKernel) {
  const auto accesses_of = [](const std::string& kernel, std::uint32_t units) {
    emulator::Observations observations;
    for (const std::uint32_t line : {5U, 7U}) {
      observations.shared_accesses.push_back({.line = {"a.cu", line}, .units = units, .function = kernel});
      observations.global_accesses.push_back({.line = {"a.cu", line}, .units = units, .function = kernel});
    }
    return observations;
  };
  emulator::Observations total;
  add(total, accesses_of("a", 1));
  add(total, accesses_of("b", 2));
  add(total, accesses_of("a", 3));
  for (const auto* accesses : {&total.shared_accesses, &total.global_accesses}) {
    ASSERT_EQ(accesses->size(), 4U);
    EXPECT_EQ(accesses->at(0).units, 1U);
    EXPECT_EQ(accesses->at(3).units, 2U);
  }
}

TEST(ObservationSum, AccessesBeyondTheirIdealTakeThePlaceOfOthers) {
  const auto call_with = [](std::uint32_t line, std::uint32_t units) {
    emulator::Observations observations;
    observations.shared_accesses = {
        {.line = {"a.cu", line}, .units = units, .ideal_units = 1, .function = "a"}};
    return observations;
  };
  emulator::Observations total;
  add(total, call_with(5, 1));
  add(total, call_with(6, 4));
  add(total, call_with(7, 8));
  ASSERT_EQ(total.shared_accesses.size(), 1U);
  EXPECT_EQ(total.shared_accesses[0].line.line, 6U) << "of the first call with conflicts";
}

TEST(ObservationSum, KeepsTheShapeOfTheLargestLaunch) {
  emulator::KernelWork work{.grid = {2, 3, 1}, .block = {32, 8, 1}};
  work += {.grid = {6, 1, 1}, .block = {64, 1, 1}};
  EXPECT_EQ(work.grid[1], 3U) << "of as many blocks, the first";
  work += {.grid = {7, 1, 1}, .block = {64, 1, 1}};
  EXPECT_EQ(work.grid[0], 7U);
  EXPECT_EQ(work.block[0], 64U);
}

}  // namespace
}  // namespace lockstep::judge
