// Counters in, numbers out: the gates on the counts that a transpose of 1024 x 1024 floats gives.
#include <gmock/gmock.h>

#include <limits>

#include "course/problem.h"

namespace lockstep::course {
namespace {

using emulator::LineCounters;
using emulator::Observations;

constexpr std::uint64_t kRequests = 32768;  // 1024 * 1024 elements, 32 per warp
constexpr Cost kCost = {.elements = 1024.0 * 1024, .global_bytes = 8.0 * 1024 * 1024};

LineCounters line_with_global(std::uint64_t load_sectors, std::uint64_t store_sectors) {
  LineCounters line;
  if (load_sectors > 0)
    line.global_load = {kRequests, kRequests * load_sectors, kRequests * 4, kRequests * 128};
  if (store_sectors > 0)
    line.global_store = {kRequests, kRequests * store_sectors, kRequests * 4, kRequests * 128};
  return line;
}

TEST(Gates, GlobalSectorsAreRelativeToTheTask) {
  const Gate gate = global_sectors_gate(1.5, {});
  Observations coalesced;
  coalesced.lines = {line_with_global(4, 0), line_with_global(0, 4)};
  EXPECT_DOUBLE_EQ(gate.value({coalesced, kCost, 1}), 1.0);
  EXPECT_DOUBLE_EQ(gate.value({coalesced, kCost, 2}), 0.5) << "counters of two calls are shared by two";
  Observations naive;
  naive.lines = {line_with_global(4, 32)};
  EXPECT_DOUBLE_EQ(gate.value({naive, kCost, 1}), 4.5);
}

TEST(Gates, SharedWavefrontsAreThoseBeyondTheFewest) {
  const Gate gate = shared_wavefronts_gate(1, {});
  Observations none;
  EXPECT_EQ(gate.value({none, kCost, 1}), 0) << "no shared memory is no conflict";
  Observations tiled;
  LineCounters store, load;
  store.shared_store = {kRequests, kRequests, kRequests, kRequests * 128};
  load.shared_load = {kRequests, kRequests * 32, kRequests, kRequests * 128};
  tiled.lines = {store, load};
  EXPECT_DOUBLE_EQ(gate.value({tiled, kCost, 1}), 31.0);
  EXPECT_DOUBLE_EQ(gate.value({tiled, kCost, 2}), 15.5) << "counters of two calls are shared by two";
  const Cause cause = gate.cause({tiled, kCost, 1});
  EXPECT_EQ(cause.share(store), 0);
  EXPECT_EQ(cause.share(load), 31.0 * kRequests);
  EXPECT_EQ(cause.explain(load), "loads take 32 wavefronts per request, ideal 1");
}

/// Loads of `wavefronts` each by lanes that are `words` apart; 0 where they do not lie evenly.
LineCounters line_with_conflicts(std::uint64_t wavefronts, std::uint64_t words) {
  LineCounters line;
  line.shared_load = {kRequests, kRequests * wavefronts, kRequests, kRequests * 128};
  if (words > 0) line.shared_load.spaced_requests = kRequests;
  line.shared_load.spacing_bytes = kRequests * words * 4;
  return line;
}

TEST(CausesOfConflicts, TellTheDistanceOfLanesThatMakesThem) {
  const Gate gate = shared_wavefronts_gate(1, {.loads_and_stores = "one longer", .rows = "four longer"});
  Observations observations;
  const auto cause_of = [&](const LineCounters& line) {
    observations.lines = {line, line_with_conflicts(1, 0)};
    return gate.cause({observations, kCost, 1});
  };
  const LineCounters column = line_with_conflicts(32, 32), particles = line_with_conflicts(8, 8);
  EXPECT_EQ(
      cause_of(column).explain(column),
      "loads take 32 wavefronts per request, ideal 1; lanes are 32 words apart, so that 32 of them meet "
      "in one bank: none would at 33");
  const LineCounters long_rows = line_with_conflicts(32, 384);
  EXPECT_THAT(cause_of(long_rows).explain(long_rows), testing::EndsWith("none would at an odd number"))
      << "385 may be more than a block's shared memory holds, and more than the row needs";
  EXPECT_EQ(cause_of(column).advice, "one longer");
  EXPECT_THAT(cause_of(particles).explain(particles),
              testing::HasSubstr("lanes are 8 words apart, so that 8"));
  for (const LineCounters& rows : {line_with_conflicts(2, 0), line_with_conflicts(2, 1)}) {
    EXPECT_EQ(cause_of(rows).explain(rows), "loads take 2 wavefronts per request, ideal 1");
    EXPECT_EQ(cause_of(rows).advice, "four longer") << "what one word of padding is for has been done";
  }
  const LineCounters tree = line_with_conflicts(6, 12);  // the mean of 2, 4, 8, 16 and 30 words
  EXPECT_EQ(cause_of(tree).explain(tree), "loads take 6 wavefronts per request, ideal 1");
}

/// A request of all lanes to shared memory, in a kernel's line.
template <class OffsetOf>
emulator::AccessTrace shared_access(std::uint32_t line, const char* operation, std::uint32_t bytes,
                                    std::uint32_t units, OffsetOf offset_of) {
  emulator::AccessTrace access{.line = {"a.cu", line},
                               .space = "shared",
                               .operation = operation,
                               .bytes = bytes,
                               .active = 0xFFFF'FFFF,
                               .units = units,
                               .ideal_units = bytes / 4,
                               .function = "kernel"};
  for (std::uint64_t lane = 0; lane < 32; ++lane) access.addresses.at(lane) = offset_of(lane);
  return access;
}

/// What the cause of such a line's conflicts says, and what it advises, beside other accesses of the kernel.
std::pair<std::string, std::string> said_of(LineCounters line, std::vector<emulator::AccessTrace> accesses) {
  const Gate gate = shared_wavefronts_gate(1, {.loads_and_stores = "other banks", .padding = "one longer"});
  line.function = "kernel";
  line.line = {"a.cu", 7};
  Observations observations;
  observations.lines = {line};
  observations.shared_accesses = std::move(accesses);
  const Cause cause = gate.cause({observations, kCost, 1});
  const std::string said = cause.explain(line);
  return {said.substr(said.find("none would")), cause.advice};
}

constexpr auto kColumn = [](std::uint64_t lane) { return lane * 128; };
constexpr auto kWords = [](std::uint64_t lane) { return lane * 4; };
constexpr auto kVectors = [](std::uint64_t lane) { return lane * 16; };

TEST(CausesOfConflicts, ALongerRowIsAdvisedWhereNothingElseGetsWorse) {
  const LineCounters column = line_with_conflicts(32, 32);
  const auto loads = shared_access(7, "load", 4, 32, kColumn);
  EXPECT_THAT(said_of(column, {loads, shared_access(4, "store", 4, 1, kWords)}),
              testing::Pair("none would at 33", "one longer"));
  // The array need not begin at 0.
  const auto further = [](auto offset_of) {
    return [offset_of](std::uint64_t lane) { return offset_of(lane) + 44; };
  };
  EXPECT_THAT(said_of(column, {shared_access(7, "load", 4, 32, further(kColumn)),
                               shared_access(4, "store", 4, 1, further(kWords))}),
              testing::Pair("none would at 33", "one longer"));
  const auto elsewhere = [](std::uint64_t lane) { return 8192 + lane * 16; };
  EXPECT_THAT(said_of(column, {loads, shared_access(4, "store", 16, 4, elsewhere)}),
              testing::Pair("none would at 33", "one longer"))
      << "another array";
}

TEST(CausesOfConflicts, ALongerRowIsNotAdvisedWhereOthersWouldMeet) {
  // Each lane counts in a column of its own, in any row: as a histogram does before its rows are summed.
  const auto own_column = [](std::uint64_t lane) { return (lane * lane * 5 + 3) % 31 * 128 + lane * 4; };
  EXPECT_THAT(said_of(line_with_conflicts(32, 32), {shared_access(7, "load", 4, 32, kColumn),
                                                    shared_access(5, "atomic", 4, 1, own_column)}),
              testing::Pair("none would at 33, but those of line 5 would then", "other banks"));
  // 32 words in a row are four structures of eight, of which each lane then takes one.
  const auto structures = [](std::uint64_t lane) { return lane * 32; };
  EXPECT_THAT(said_of(line_with_conflicts(8, 8),
                      {shared_access(7, "load", 4, 8, structures), shared_access(4, "store", 4, 1, kWords)}),
              testing::Pair("none would at 9, but those of line 4 would then", "other banks"));
}

TEST(CausesOfConflicts, ALongerRowMustKeepVectorsAligned) {
  EXPECT_THAT(said_of(line_with_conflicts(32, 32),
                      {shared_access(7, "load", 4, 32, kColumn), shared_access(4, "store", 16, 4, kVectors)}),
              testing::Pair("none would at 33, but line 4 needs rows that begin at multiples of 16 bytes",
                            "other banks"));
}

TEST(CausesOfConflicts, VectorsAreServedFewLanesAtATime) {
  // 16 bytes a lane: eight are served together, and all of them meet.
  LineCounters vectors = line_with_conflicts(32, 256);
  vectors.shared_load.ideal_units = 4 * kRequests;
  vectors.shared_load.bytes = 4 * kRequests * 128;
  EXPECT_THAT(said_of(vectors, {}), testing::Pair("none would at an odd multiple of 4", "other banks"));
  const Gate gate = shared_wavefronts_gate(1, {});
  Observations observations;
  observations.lines = {vectors};
  EXPECT_THAT(
      gate.cause({observations, kCost, 1}).explain(vectors),
      testing::HasSubstr("lanes are 256 words apart, so that 8 of the 8 that are served together meet"));
  vectors.shared_load.units = 16 * kRequests;  // a row longer by one vector, and lanes four rows apart
  vectors.shared_load.spacing_bytes = kRequests * 1088;
  EXPECT_THAT(gate.cause({observations, kCost, 1}).explain(vectors),
              testing::HasSubstr("so that 4 of the 8"));
}

TEST(Gates, AccessesThatServeNothingDoNotDiluteConflicts) {
  const Gate gate = shared_wavefronts_gate(1, {});
  LineCounters conflict, waste;
  conflict.shared_load = {kRequests, kRequests * 32, kRequests, kRequests * 128};
  waste.shared_load = {kRequests * 1000, kRequests * 1000, kRequests * 1000, kRequests * 128000};
  Observations diluted;
  diluted.lines = {conflict, waste};
  EXPECT_DOUBLE_EQ(gate.value({diluted, kCost, 1}), 31.0);
}

TEST(Gates, CopiesAndFillsAreTraffic) {
  Observations copying;
  copying.lines = {line_with_global(4, 4)};
  copying.copied_sectors = kRequests * 8;
  const Gate sectors = global_sectors_gate(1.5, {});
  EXPECT_DOUBLE_EQ(sectors.value({copying, kCost, 1}), 2.0);
  EXPECT_EQ(sectors.cause({copying, kCost, 1}).besides,
            "copies, fills, textures and surfaces are 50 % of all sectors");
  const Gate bytes = bytes_per_element_gate(9, {});
  EXPECT_DOUBLE_EQ(bytes.value({copying, kCost, 1}), 16.0);
  EXPECT_EQ(bytes.cause({copying, kCost, 1}).besides,
            "copies, fills, textures and surfaces are 50 % of all sectors");
  copying.copied_sectors = kRequests / 2;
  EXPECT_EQ(sectors.cause({copying, kCost, 1}).besides, "") << "a few are not worth a word";
  EXPECT_EQ(sectors.cause({Observations(), kCost, 1}).besides, "");
}

TEST(Gates, ConstantsAreTrafficTooAndLocalMemoryIsNot) {
  Observations moving;
  LineCounters local = line_with_global(4, 4), constants;
  local.local_load = local.local_store = {kRequests, kRequests * 8, kRequests * 8, kRequests * 128};
  moving.lines = {local};
  const Gate gate = global_sectors_gate(1.5, {});
  EXPECT_DOUBLE_EQ(gate.value({moving, kCost, 1}), 1.0);
  constants.constant_load = {kRequests, kRequests * 24, kRequests * 4, kRequests * 128};
  moving.lines = {line_with_global(4, 4), constants};
  EXPECT_DOUBLE_EQ(gate.value({moving, kCost, 1}), 4.0);
  const Cause cause = gate.cause({moving, kCost, 1});
  EXPECT_EQ(cause.explain(constants), "loads of constants move 75 % of all sectors");
  EXPECT_EQ(cause.share(moving.lines[0]), 0);
}

TEST(Gates, WhoReadsNoInputIsDoubted) {
  constexpr double kInput = 4.0 * 1024 * 1024;
  for (const Gate& gate : {global_sectors_gate(1.5, {}), bytes_per_element_gate(9, {})}) {
    Observations writes;
    writes.lines = {line_with_global(0, 4)};
    EXPECT_EQ(gate.doubt({writes, kCost, 1, kInput}),
              "the kernels read 0 of the 4194304 bytes of the input: what did the work?");
    Observations reads;
    reads.lines = {line_with_global(4, 4)};
    EXPECT_EQ(gate.doubt({reads, kCost, 1, kInput}), "");
    EXPECT_EQ(gate.doubt({reads, kCost, 1, 2 * kInput}), "") << "half of it may be enough";
    EXPECT_NE(gate.doubt({reads, kCost, 1, 3 * kInput}), "");
    Observations fetched;
    fetched.copied_sectors = kRequests * 4;
    EXPECT_EQ(gate.doubt({fetched, kCost, 1, kInput}), "") << "textures read too";
    EXPECT_EQ(gate.doubt({Observations(), kCost, 1, 0}), "") << "there was nothing to read";
  }
}

TEST(Gates, ParallelismIsWorkOverSpan) {
  const Gate gate = parallelism_gate(8, "share it out");
  EXPECT_TRUE(gate.holds(8));
  EXPECT_FALSE(gate.holds(7.99));
  EXPECT_FALSE(gate.holds(std::numeric_limits<double>::quiet_NaN()));
  Observations launched;
  launched.kernels = {{.kernel = "many", .launches = 2, .blocks = 200, .work = 9000, .span = 90},
                      {.kernel = "one", .launches = 1, .blocks = 1, .work = 910, .span = 910}};
  EXPECT_DOUBLE_EQ(gate.value({launched, kCost, 1}), 9.91);
  LineCounters of_many, of_one;
  of_many.function = "many";
  of_one.function = "one";
  of_many.warps = of_one.warps = 900;
  const Cause cause = gate.cause({launched, kCost, 1});
  EXPECT_EQ(cause.share(of_many), 0);
  EXPECT_EQ(cause.share(of_one), 900);
  EXPECT_EQ(cause.explain(of_one),
            "this kernel is 91 % of the longest chain, with a parallelism of 1 from 1 block per launch");
  EXPECT_EQ(cause.advice, "share it out");
  EXPECT_EQ(gate.value({Observations(), kCost, 1}), 0) << "who launches nothing keeps nothing busy";
  EXPECT_EQ(gate.cause({Observations(), kCost, 1}).besides, "no kernel ran");
  EXPECT_EQ(gate.cause({Observations(), kCost, 1}).advice, "Do the task in kernels.");
}

TEST(Gates, IdleLanesNameTheBranchOrTheBlocksWithoutThreads) {
  const Gate gate = idle_lanes_gate(30, {.branches = "rearrange it", .blocks = "start whole warps"});
  EXPECT_TRUE(gate.holds(30));
  EXPECT_FALSE(gate.holds(std::numeric_limits<double>::quiet_NaN()));
  LineCounters branch, work;  // of 100 elements in all
  branch.warps = 4;
  branch.lanes = 128;
  branch.idle_caused = 6400;
  work.warps = 400;
  work.lanes = 6400;
  work.idle_here = 6400;
  Observations diverged;
  diverged.lines = {branch, work};
  constexpr Cost kHundred{.elements = 100};
  EXPECT_DOUBLE_EQ(gate.value({diverged, kHundred, 1}), 64);
  EXPECT_DOUBLE_EQ(gate.value({diverged, kHundred, 2}), 32);
  Cause cause = gate.cause({diverged, kHundred, 1});
  EXPECT_EQ(cause.share(branch), 6400);
  EXPECT_EQ(cause.share(work), 0);
  EXPECT_EQ(cause.explain(branch), "lanes that diverge here wait for 64 lane-instructions per element");
  EXPECT_EQ(cause.advice, "rearrange it");
  EXPECT_FALSE(cause.of_launches);

  branch.idle_caused = work.idle_here = 1600;  // of 6400
  Observations without_threads;
  without_threads.lines = {branch, work};
  cause = gate.cause({without_threads, kHundred, 1});
  EXPECT_EQ(cause.share(branch), 0);
  EXPECT_EQ(cause.share(work), 4800);
  EXPECT_EQ(cause.explain(work),
            "20 of a warp's 32 lanes have a thread, as blocks are no multiple of 32 threads");
  EXPECT_EQ(cause.advice, "start whole warps");
  EXPECT_TRUE(cause.of_launches);
  EXPECT_EQ(idle_lanes_gate(30, {"rearrange it"}).cause({without_threads, kHundred, 1}).advice,
            "rearrange it");
  work.lanes = work.warps;
  work.idle_here = 0;
  EXPECT_EQ(cause.explain(work),
            "1 of a warp's 32 lanes has a thread, as blocks are no multiple of 32 threads");
}

TEST(Gates, LaneInstructionsCountWhatIsActive) {
  const Gate gate = lane_instructions_gate(350, "compute one way");
  EXPECT_TRUE(gate.holds(350));
  EXPECT_FALSE(gate.holds(std::numeric_limits<double>::quiet_NaN()));
  LineCounters line;
  line.warps = 2000;
  line.lanes = 40000;
  Observations computed;
  computed.lines = {line};
  EXPECT_DOUBLE_EQ(gate.value({computed, {.elements = 100}, 1}), 400);
  const Cause cause = gate.cause({computed, {.elements = 100}, 1});
  EXPECT_EQ(cause.share(line), 40000);
  EXPECT_EQ(cause.explain(line), "400 per element, the most of all lines");
  EXPECT_EQ(cause.advice, "compute one way");
}

TEST(Gates, BytesPerElementCountWholeSectors) {
  const Gate gate = bytes_per_element_gate(9, {});
  Observations twice;
  twice.lines = {line_with_global(4, 4), line_with_global(4, 0)};
  EXPECT_DOUBLE_EQ(gate.value({twice, kCost, 1}), 12.0);
}

TEST(Gates, BytesOfAnotherUnitAreOverThatUnit) {
  Observations twice;
  twice.lines = {line_with_global(4, 4)};
  const Gate gate = bytes_per_element_gate(9, {}, "step", 16);
  EXPECT_EQ(gate.name, "bytes-per-step");
  EXPECT_DOUBLE_EQ(gate.value({twice, kCost, 1}), 0.5);
}

class Causes : public testing::Test {
 protected:
  static constexpr double kInput = 4.0 * 1024 * 1024;

  Cause cause() const { return gate_.cause({observations_, kCost, 1, kInput}); }

  Observations observations_;
  Gate gate_ = global_sectors_gate(1.5, {"scattered", "again", "atomics", "merging"});
};

TEST_F(Causes, LanesThatLieApart) {
  observations_.lines = {line_with_global(4, 4), line_with_global(32, 4)};
  EXPECT_EQ(cause().advice, "scattered");
  EXPECT_EQ(cause().share(observations_.lines[0]), 0);
  EXPECT_EQ(cause().share(observations_.lines[1]), 28.0 * kRequests);
  EXPECT_EQ(cause().explain(observations_.lines[1]), "loads take 32 sectors per request, ideal 4");
  observations_.lines = {line_with_global(4, 32)};
  EXPECT_EQ(cause().explain(observations_.lines[0]), "stores take 32 sectors per request, ideal 4")
      << "the loads of the same line are as they should be";
}

TEST_F(Causes, OfBytesAreToldWithTheLinesOwn) {
  const auto explained = [this] { return cause().explain(observations_.lines[0]); };
  gate_ = bytes_per_element_gate(9, {});
  observations_.lines = {line_with_global(8000, 0)};
  EXPECT_EQ(explained(), "8000 bytes per element; loads take 8000 sectors per request, ideal 4")
      << "figures have no powers of ten";
  gate_ = bytes_per_element_gate(0.1, {}, "step", 16);
  observations_.lines = {line_with_global(4, 8)};
  EXPECT_EQ(explained(), "0.75 bytes per step; stores take 8 sectors per request, ideal 4");
}

TEST_F(Causes, InputsThatAreReadAgain) {
  observations_.lines = {line_with_global(4, 4), line_with_global(8, 0)};
  observations_.lines[1].global_load = {64 * kRequests, 256 * kRequests, 256 * kRequests,
                                        64 * 128 * kRequests};
  EXPECT_EQ(cause().advice, "again Together, all loads bring 65 times the bytes of the input.");
  EXPECT_TRUE(cause().together);
  EXPECT_GT(cause().share(observations_.lines[1]), cause().share(observations_.lines[0]));
  EXPECT_EQ(cause().explain(observations_.lines[1]), "loads bring 64 times the bytes of the input");
  observations_.lines[1].global_load.units = 64 * kRequests;  // all lanes of a request read one sector
  EXPECT_EQ(cause().advice, "again Together, all loads bring 17 times the bytes of the input.")
      << "more than the input, so that a tile of it would help";
}

TEST_F(Causes, WhatIsReadOftenByLanesThatLieApartIsFirstReadOften) {
  observations_.lines = {line_with_global(4, 4)};
  observations_.lines[0].global_load = {50 * kRequests, 450 * kRequests, 200 * kRequests,
                                        50 * 128 * kRequests};
  EXPECT_EQ(cause().advice, "again Together, all loads bring 50 times the bytes of the input.");
}

TEST_F(Causes, RequestsOfOneLane) {
  LineCounters line;
  line.warps = 10 * 32 * kRequests;
  line.lanes = line.warps;
  line.global_load = line.global_store = {32 * kRequests, 32 * kRequests, 32 * kRequests, 128 * kRequests};
  observations_.lines = {line};
  EXPECT_GT(cause().share(line), 0);
  EXPECT_EQ(cause().explain(line), "the lanes ask for 4 of the 32 bytes of a sector, on average");
  EXPECT_THAT(cause().advice, testing::StartsWith("Let all 32 lanes of a warp take neighbouring elements."));
}

TEST_F(Causes, WordsThatAWholeWarpReads) {
  gate_ = bytes_per_element_gate(13, {"scattered", "again"});
  LineCounters total = line_with_global(0, 0), sum = line_with_global(4, 4);
  total.global_store = {kRequests / 32, kRequests / 32, kRequests / 32, kRequests / 8};  // of lane 0
  sum.global_load += {kRequests, kRequests, kRequests, kRequests * 128};  // beside the element itself
  observations_.lines = {line_with_global(4, 0), total, sum};
  EXPECT_DOUBLE_EQ(gate_.value({observations_, kCost, 1}), 12 + 1 + 1.0 / 32);
  EXPECT_EQ(cause().share(observations_.lines[1]), 0) << "a 32nd of a byte is not why";
  EXPECT_EQ(cause().share(sum), kRequests);
  EXPECT_EQ(cause().explain(sum),
            "9 bytes per element; loads of one word by all lanes move 8 % of all sectors");
  EXPECT_THAT(cause().advice, testing::StartsWith("Let one thread of the block load what all of them need"));
}

TEST_F(Causes, AtomicsOnEveryElementAndThoseOfBlocksThatMerge) {
  observations_.lines = {line_with_global(4, 0), LineCounters()};
  observations_.lines[1].global_atomic = {kRequests, kRequests * 20, kRequests * 8, kRequests * 256};
  EXPECT_EQ(cause().advice, "atomics");
  EXPECT_EQ(cause().explain(observations_.lines[1]), "atomics move 83 % of all sectors");
  observations_.lines[1].global_atomic.bytes /= 8;
  EXPECT_EQ(cause().advice, "merging");
}

TEST_F(Causes, CopiesHaveNoLine) {
  observations_.lines = {line_with_global(4, 4)};
  observations_.copied_sectors = 40 * kRequests;
  EXPECT_EQ(cause().advice, "");
  EXPECT_EQ(cause().share(observations_.lines[0]), 0);
}

TEST_F(Causes, WarpsThatBeginBetweenSectors) {
  observations_.lines = {line_with_global(5, 0)};
  observations_.lines[0].global_load.spaced_requests = kRequests;
  observations_.lines[0].global_load.spacing_bytes = kRequests * 4;
  EXPECT_THAT(cause().advice, testing::HasSubstr("begins at no multiple of 32 bytes"));
  observations_.lines[0].global_load.ideal_units -=
      kRequests / 100;  // the last warps of blocks have fewer lanes
  EXPECT_THAT(cause().advice, testing::HasSubstr("begins at no multiple of 32 bytes"));
  observations_.lines[0].global_load.spacing_bytes = kRequests * 32;
  EXPECT_EQ(cause().advice, "scattered");
}

TEST_F(Causes, WhatTheLimitAllowsToMoveAgainIsNoCause) {
  gate_ = bytes_per_element_gate(13, {"scattered", "again"});
  observations_.lines = {line_with_global(5, 0), line_with_global(5, 5)};
  EXPECT_EQ(cause().advice, "scattered") << "to read everything twice and write it once is within the limit";
  observations_.lines = {line_with_global(4, 4), line_with_global(5, 4)};
  EXPECT_EQ(cause().advice, "again Together, all stores write 2 times the bytes of the output.");
  EXPECT_EQ(cause().explain(observations_.lines[0]),
            "8 bytes per element; stores write 1 times the bytes of the output");
}

TEST(CausesOfConflicts, AreThoseOfTheAccessesThatHaveMost) {
  const Gate gate = shared_wavefronts_gate(1, {"loads and stores", "atomics"});
  Observations observations;
  LineCounters line;
  line.shared_load = {kRequests, kRequests * 4, kRequests, kRequests * 128};
  line.shared_atomic = {kRequests, kRequests * 3, kRequests, kRequests * 128};
  observations.lines = {line};
  EXPECT_EQ(gate.cause({observations, kCost, 1}).advice, "loads and stores");
  observations.lines[0].shared_atomic.units *= 2;
  EXPECT_EQ(gate.cause({observations, kCost, 1}).advice, "atomics");
}

}  // namespace
}  // namespace lockstep::course
