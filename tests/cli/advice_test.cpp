// What the profile says about a line, from hand-made counters: the cure must fit the cause.
#include "report/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::test {
namespace {

using namespace report;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A hundred warps with all lanes.
LineProfile busy() {
  LineProfile line;
  line.line = 7;
  line.warps = 100;
  line.lanes = 3200;
  return line;
}

/// A hundred requests of 4 bytes per lane that take `units` each; `distance` bytes between lanes, 0 for none.
emulator::Traffic requests(std::uint64_t units, std::uint64_t ideal, std::uint64_t distance) {
  return {.requests = 100,
          .units = 100 * units,
          .ideal_units = 100 * ideal,
          .bytes = 12800,
          .spaced_requests = distance == 0 ? 0U : 100U,
          .spacing_bytes = 100 * distance};
}

std::string about_global(std::uint64_t units, std::uint64_t ideal, std::uint64_t distance) {
  LineProfile line = busy();
  line.global = requests(units, ideal, distance);
  return advice_for(line);
}

std::string about_shared(std::uint64_t units, std::uint64_t distance) {
  LineProfile line = busy();
  line.shared = requests(units, 1, distance);
  return advice_for(line);
}

TEST(Advice, LongStridesNameTheFastestIndex) {
  EXPECT_THAT(
      about_global(32, 4, 8192),
      AllOf(HasSubstr("32.0 sectors per request, ideal 4.00: neighbouring lanes are 8192 bytes apart"),
            HasSubstr("pass the elements on through a tile in shared memory; else let threadIdx.x")));
}

TEST(Advice, ShortStridesNameTheStructure) {
  EXPECT_THAT(about_global(16, 4, 16),
              AllOf(HasSubstr("16 bytes apart"),
                    HasSubstr("shuffles or in shared memory; where the layout is yours")));
}

TEST(Advice, AMisalignedStartIsNoStride) {
  EXPECT_THAT(about_global(5, 4, 4), AllOf(HasSubstr("multiple of 32 bytes"), Not(HasSubstr("apart"))));
}

TEST(Advice, ScatteredLanesHaveNoDistance) {
  EXPECT_THAT(about_global(20, 4, 0), AllOf(HasSubstr("scattered"), Not(HasSubstr("bytes apart"))));
}

TEST(Advice, FewStridedRequestsDoNotSpeakForAll) {
  LineProfile line = busy();
  line.global = requests(20, 4, 0);
  line.global.spaced_requests = 10;
  line.global.spacing_bytes = 1280;
  EXPECT_THAT(advice_for(line), HasSubstr("scattered"));
}

TEST(Advice, ALittleExcessIsNoWaste) {
  LineProfile line = busy();
  line.global = requests(4, 4, 4);
  line.global.units += 22;
  EXPECT_THAT(advice_for(line), HasSubstr("4.22 sectors per request, ideal 4.00: hardly more"));
  line.global.units -= 22;
  EXPECT_THAT(advice_for(line), HasSubstr("No excess sectors"));
}

TEST(Advice, ColumnsOfATileWantPadding) {
  EXPECT_THAT(about_shared(32, 128),
              AllOf(HasSubstr("32.0 wavefronts per request, ideal 1.00: lanes are 32 words apart"),
                    HasSubstr("32 of them meet in one bank"),
                    HasSubstr("Pad each row by one element: none meet at 33.")));
}

TEST(Advice, RowsKeepTheirLengthWhereOtherAccessesNeedIt) {
  LineProfile line = busy();
  line.shared = requests(32, 1, 128);
  line.padding = {emulator::Padding::Effect::harms, 12, 4};
  EXPECT_THAT(advice_for(line), AllOf(HasSubstr("as the lanes of line 12 would meet in longer rows"),
                                      HasSubstr("exchange the columns"), Not(HasSubstr("Pad each row"))));
  line.padding = {emulator::Padding::Effect::misaligns, 12, 16};
  EXPECT_THAT(advice_for(line), HasSubstr("as line 12 needs rows that begin at multiples of 16 bytes"));
}

TEST(Advice, VectorsAreServedFewLanesAtATime) {
  LineProfile line = busy();
  line.shared = requests(32, 4, 1024);
  EXPECT_THAT(advice_for(line), AllOf(HasSubstr("8 of the 8 that are served together"),
                                      HasSubstr("an odd number of 16 bytes apart"), Not(HasSubstr("Pad"))));
}

TEST(Advice, InterleavedWordsWantNeighbours) {
  EXPECT_THAT(about_shared(2, 8), AllOf(HasSubstr("2 words apart"), HasSubstr("neighbouring words")));
}

TEST(Advice, ADistanceThatMakesNoConflictIsNotBlamed) {
  for (const int words : {1, 3, 33}) {
    EXPECT_THAT(
        about_shared(2, 4 * words),
        AllOf(HasSubstr("2.00 wavefronts per request, ideal 1.00: neighbouring lanes are in different"),
              HasSubstr("Pad between the pieces"), Not(HasSubstr("words apart"))));
  }
}

TEST(Advice, OtherConflictsAreNotExplainedAway) {
  EXPECT_THAT(about_shared(3, 0), HasSubstr("lanes that use different words meet in one bank"));
  EXPECT_THAT(about_shared(6, 4 * 12), HasSubstr("lanes that use different words meet in one bank"))
      << "4 would meet if all were 12 words apart: it is the mean of several distances";
}

TEST(Advice, AtomicsOfAWholeWarpAreAddedUpFirst) {
  LineProfile line = busy();
  line.global = line.global_atomics.traffic = requests(1, 1, 0);
  line.global_atomics.contention = 3200;
  EXPECT_THAT(advice_for(line),
              AllOf(HasSubstr("32.0 lanes of a warp meet"), HasSubstr("lanes of the warp first")));
}

TEST(Advice, AtomicsOfSomeLanesArePrivatised) {
  LineProfile line = busy();
  line.global = line.global_atomics.traffic = requests(4, 4, 0);
  line.global_atomics.contention = 400;
  EXPECT_THAT(advice_for(line), AllOf(HasSubstr("4.00 lanes"), HasSubstr("shared memory")));
}

TEST(Advice, SharedAtomicsThatWaitAreNoBankConflict) {
  LineProfile line = busy();
  line.shared = line.shared_atomics.traffic = requests(5, 1, 0);
  line.shared_atomics.contention = 500;
  EXPECT_THAT(advice_for(line), AllOf(HasSubstr("5.00 lanes of a warp meet"), Not(HasSubstr("bank"))));
}

TEST(Advice, SharedAtomicsOfDifferentWordsAreABankConflict) {
  for (const std::uint64_t lanes_at_one_address : {1, 4}) {  // four of one value are added up first
    LineProfile line = busy();
    line.shared = line.shared_atomics.traffic = requests(3, 1, 0);
    line.shared_atomics.contention = 100 * lanes_at_one_address;
    EXPECT_THAT(advice_for(line), AllOf(HasSubstr("3.00 wavefronts per request, ideal 1.00: atomics on "
                                                  "different words of one bank"),
                                        Not(HasSubstr("meet at one address"))));
  }
}

TEST(Advice, SharedAtomicsThatTheGpuCountsTogetherAreNoWaste) {
  LineProfile line = busy();
  line.shared = line.shared_atomics.traffic = requests(1, 1, 0);
  line.shared_atomics.contention = 3200;
  EXPECT_THAT(advice_for(line), HasSubstr("No bank conflicts"));
}

TEST(Advice, ABranchSaysHowOftenLanesDiverge) {
  LineProfile line = busy();
  line.branches = 100;
  line.divergent_branches = 50;
  line.idle_caused = 32 * 4000;
  EXPECT_THAT(advice_for(line), AllOf(HasSubstr("diverge in 50 %"), HasSubstr("4000 warp-instructions"),
                                      HasSubstr("whole warps")));
}

TEST(Advice, TheLargestWasteIsTold) {
  LineProfile line = busy();
  line.global = requests(32, 4, 4096);
  line.shared = requests(2, 1, 8);
  EXPECT_THAT(advice_for(line), HasSubstr("sectors per request"));
  line.shared = requests(32, 1, 128);
  EXPECT_THAT(advice_for(line), HasSubstr("wavefronts per request"));
}

TEST(Advice, FewLanesAreToldWithTheReason) {
  LineProfile line = busy();
  line.lanes = 800;
  EXPECT_THAT(advice_for(line), AllOf(HasSubstr("Only 25 % of the lanes"), HasSubstr("no threads")));
  line.idle_here = 2400;
  EXPECT_THAT(advice_for(line), AllOf(HasSubstr("Only 25 % of the lanes"), HasSubstr("branch")));
}

TEST(Advice, ArithmeticHasNothingToImprove) {
  EXPECT_EQ(advice_for(busy()), "No memory is accessed here: only fewer instructions would make it cheaper.");
}

}  // namespace
}  // namespace lockstep::test
