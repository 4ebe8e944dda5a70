// What is counted besides sectors and wavefronts: lanes that an atomic finds at one address, branches that
// part a warp and the lanes that wait since, and how far lanes lie apart. Expected values are computed by
// hand.
#include <algorithm>
#include <map>

#include "device_fixture.h"
#include "emulator/core/padding.h"
#include "emulator/program/handlers.h"

namespace lockstep::emulator {
namespace {

class CounterTest : public DeviceTest {
 protected:
  LineCounters line(std::uint32_t number) const {
    for (const LineCounters& counters : seen.lines) {
      if (counters.line.line == number) return counters;
    }
    return {};
  }
  void run_warps(const std::string& body, unsigned threads = 32, unsigned blocks = 1) {
    ASSERT_EQ(run(body, memory, 0, 0, {blocks, 1, 1}, {threads, 1, 1}, ".shared .align 16 .b8 tile[4096];\n")
                  .status,
              LaunchResult::Status::ok);
  }

  const DeviceAddress memory = upload(std::vector<std::uint32_t>(1 << 15));
};

// --- what is recorded for drawing ---

TEST_F(CounterTest, ATraceIsOfTheLowestWarpWhoeverComesFirst) {
  device.trace_line("kernel.cu", 11);
  // Warp 0 of block 0 comes to the line after many others.
  run_warps(
      "mov.u32 %r2, %ctaid.x;\nshr.u32 %r3, %r1, 5;\nor.b32 %r2, %r2, %r3;\nsetp.eq.u32 %p1, %r2, 0;\n"
      "selp.u32 %r2, 100000, 0, %p1;\n"
      "again:\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra done;\nsub.u32 %r2, %r2, 1;\nbra again;\n"
      "done: ld.global.u32 %r3, [%d0];",
      64, 2000);
  ASSERT_EQ(seen.traces.size(), 1U);
  EXPECT_EQ(seen.traces[0].block[0], 0U);
  EXPECT_EQ(seen.traces[0].warp, 0U);
}

// --- constants ---

TEST_F(CounterTest, LoadsOfConstantsAreCountedApart) {
  const std::string body =
      "mov.u64 %d2, table;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d2, %d2, %d3;\n"
      "ld.const.u32 %r2, [table+8];\nld.const.u32 %r3, [%d2];\nst.global.u32 [%d0], %r3;";
  ASSERT_EQ(run(body, memory, 0, 0, {}, {32, 1, 1}, ".const .align 32 .b8 table[256];\n").status,
            LaunchResult::Status::ok);
  EXPECT_EQ(line(4).constant_load.requests, 1U);
  EXPECT_EQ(line(4).constant_load.units, 1U) << "one word for all lanes";
  EXPECT_EQ(line(5).constant_load.units, 4U) << "32 words side by side";
  EXPECT_EQ(line(5).constant_load.bytes, 128U);
  EXPECT_EQ(line(4).global_load.requests + line(5).global_load.requests, 0U);
  EXPECT_EQ(line(0).constant_load.requests, 0U) << "parameters are not counted";
}

// --- atomics ---

/// The address of lane t is base + 4 × %r2.
std::string global_atomic(const std::string& index) {
  return index + "\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d0, %d2;\nred.global.add.u32 [%d2], %r1;";
}

TEST_F(CounterTest, AllLanesOfAnAtomicAtOneAddressAre32) {
  run_warps(global_atomic("mov.u32 %r2, 5;"));
  EXPECT_EQ(line(4).global_atomic.requests, 1U);
  EXPECT_EQ(line(4).global_contention, 32U);
  EXPECT_EQ(line(4).shared_contention, 0U);
}

TEST_F(CounterTest, PairsOfLanesAre2) {
  run_warps(global_atomic("shr.u32 %r2, %r1, 1;"));
  EXPECT_EQ(line(4).global_contention, 2U);
}

TEST_F(CounterTest, LanesApartAre1HoweverTheyLie) {
  run_warps(global_atomic("mov.u32 %r2, %r1;"));
  EXPECT_EQ(line(4).global_contention, 1U);
  run_warps(global_atomic("mul.lo.u32 %r2, %r1, 64;"));  // the low bits of all words are alike
  EXPECT_EQ(line(4).global_contention, 1U);
}

TEST_F(CounterTest, TheMostContendedAddressOfEachRequestIsSummed) {
  // Lanes 0 to 9 at word 0, the others apart; two warps in each of three blocks.
  run_warps(global_atomic("and.b32 %r2, %r1, 31;\nsetp.lt.u32 %p1, %r2, 10;\n@%p1 mov.u32 %r2, 0;"), 64, 3);
  EXPECT_EQ(line(6).global_atomic.requests, 6U);
  EXPECT_EQ(line(6).global_contention, 60U);
}

TEST_F(CounterTest, OnlyActiveLanesMeet) {
  run_warps("setp.lt.u32 %p1, %r1, 7;\n@%p1 red.global.add.u32 [%d0], %r1;");
  EXPECT_EQ(line(2).global_contention, 7U);
}

TEST_F(CounterTest, AtomicsInSharedMemoryAreCountedApart) {
  run_warps(
      "mov.u32 %r3, tile;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
      "bar.sync 0;\nshr.u32 %r2, %r1, 3;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r2, %r3;\n"
      "atom.shared.max.u32 %r4, [%r2], %r1;\nst.global.u32 [%d0], %r4;");
  EXPECT_EQ(line(9).shared_contention, 8U) << "eight lanes per word";
  EXPECT_EQ(line(9).global_contention, 0U);
  EXPECT_EQ(line(4).shared_contention, 0U) << "a store is no atomic";
}

TEST(Contention, AgreesWithCountingEachAddress) {
  std::uint32_t state = 12345;
  for (unsigned round = 0; round < 2000; ++round) {
    std::uint64_t addresses[32];
    std::uint32_t offsets[32];
    std::map<std::uint64_t, unsigned> seen;
    state = state * 1664525 + 1013904223;
    const std::uint32_t active = round == 0 ? 0 : state;
    unsigned most = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      state = state * 1664525 + 1013904223;
      offsets[lane] = (state >> 16) % (1 + round % 40) * (round % 3 == 0 ? 256 : 4);
      addresses[lane] = 0x2000'0000'0000 + offsets[lane];
      if ((active >> lane & 1) != 0) most = std::max(most, ++seen[offsets[lane]]);
    }
    ASSERT_EQ(program::handlers().traffic.most_at_one_address(addresses, active), most) << round;
    ASSERT_EQ(program::handlers().traffic.most_at_one_offset(offsets, active), most) << round;
  }
}

// --- branches ---

TEST_F(CounterTest, OddAndEvenLanesDivergeOnceInOneBranch) {
  run_warps(
      "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n"
      "mov.u32 %r3, 1;\nmov.u32 %r3, 2;\nbra DONE;\n"
      "EVEN: mov.u32 %r3, 3;\n"
      "DONE: mov.u32 %r4, 0;");
  EXPECT_EQ(line(3).branches, 1U);
  EXPECT_EQ(line(3).divergent_branches, 1U);
  // Three instructions of the odd lanes while 16 wait, and one of the even ones.
  EXPECT_EQ(line(3).idle_caused, 16U * 3 + 16U * 1);
  EXPECT_EQ(line(4).idle_here, 16U);
  EXPECT_EQ(line(6).idle_here, 16U) << "the jump to the end is an instruction too";
  EXPECT_EQ(line(7).idle_here, 16U);
  EXPECT_EQ(line(8).idle_here, 0U) << "together again";
}

TEST_F(CounterTest, ABranchThatAllLanesTakeAlikeDoesNotDiverge) {
  run_warps("setp.lt.u32 %p1, %r1, 64;\n@%p1 bra SKIP;\nmov.u32 %r3, 1;\nSKIP: mov.u32 %r4, 0;", 96);
  EXPECT_EQ(line(2).branches, 3U);
  EXPECT_EQ(line(2).divergent_branches, 0U);
  EXPECT_EQ(line(2).idle_caused, 0U);
}

TEST_F(CounterTest, AnUnconditionalJumpIsNoBranch) {
  run_warps("bra NEXT;\nNEXT: mov.u32 %r4, 0;");
  EXPECT_EQ(line(1).branches, 0U);
}

TEST_F(CounterTest, ALoopIsChargedWithTheLanesThatHaveLeftIt) {
  // Lane t goes round t + 1 times: in round k (from 0) k lanes have left, and each round has 3 instructions.
  run_warps(
      "mov.u32 %r9, 0;\n"
      "LOOP: add.u32 %r9, %r9, 1;\n"
      "setp.le.u32 %p1, %r9, %r1;\n"
      "@%p1 bra LOOP;\n"
      "mov.u32 %r4, 0;");
  EXPECT_EQ(line(4).branches, 32U);
  EXPECT_EQ(line(4).divergent_branches, 31U) << "in the last round the last lane is alone";
  EXPECT_EQ(line(4).idle_caused, 3U * (31 * 32 / 2));
  EXPECT_EQ(line(5).idle_here, 0U);
}

TEST_F(CounterTest, TheInnermostBranchThatDivergedIsCharged) {
  run_warps(
      "setp.ge.u32 %p1, %r1, 16;\n@%p1 bra DONE;\n"  // lanes 16 to 31 wait for all of what follows
      "setp.ge.u32 %p2, %r1, 4;\n@%p2 bra JOIN;\n"   // lanes 4 to 15 wait for lines 5 and 6
      "mov.u32 %r3, 1;\nmov.u32 %r3, 2;\n"
      "JOIN: mov.u32 %r3, 3;\n"
      "DONE: mov.u32 %r4, 0;");
  EXPECT_EQ(line(4).idle_caused, 12U * 2);
  // Of the outer branch: lines 3 and 4 by 16 lanes, 5 and 6 by 4, 7 by 16, each while lanes 16 to 31 wait.
  EXPECT_EQ(line(2).idle_caused, 16U * 5);
  EXPECT_EQ(line(5).idle_here, 28U);
  EXPECT_EQ(line(7).idle_here, 16U);
}

TEST_F(CounterTest, LanesThatHaveExitedAreIdleForTheBranchThatSentThemAway) {
  run_warps("setp.ge.u32 %p1, %r1, 8;\n@%p1 ret;\nmov.u32 %r3, 1;\nmov.u32 %r3, 2;", 40);
  EXPECT_EQ(line(2).branches, 2U);
  EXPECT_EQ(line(2).divergent_branches, 1U) << "all lanes of the second warp leave";
  EXPECT_EQ(line(2).idle_caused, 24U * 3) << "two instructions and the last return";
  EXPECT_EQ(line(3).lanes, 8U);
  EXPECT_EQ(line(3).idle_here, 24U);
}

TEST_F(CounterTest, LanesThatTheBlockDoesNotHaveAreNotIdle) {
  run_warps("setp.ge.u32 %p1, %r1, 2;\n@%p1 bra DONE;\nmov.u32 %r3, 1;\nDONE: mov.u32 %r3, 2;", 5);
  EXPECT_EQ(line(2).idle_caused, 3U) << "of five threads";
  EXPECT_EQ(line(4).idle_here, 0U);
}

// The machine lets waiting lanes go on when others loop for long: these then exit, and are idle all the same.
TEST_F(CounterTest, ALongLoopIsChargedToTheEnd) {
  run_warps(
      "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nmov.u32 %r9, 0;\n"
      "LOOP: add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 1000;\n@%p2 bra LOOP;\n"
      "DONE: mov.u32 %r4, 0;");
  EXPECT_EQ(line(7).divergent_branches, 0U);
  EXPECT_GE(line(3).idle_caused, 16U * 3000);
  EXPECT_LE(line(3).idle_caused, 16U * (3000 + 5)) << "and what comes before and after the loop";
}

TEST_F(CounterTest, AnIndirectBranchDivergesOnceHoweverManyWays) {
  run_warps(
      "and.b32 %r2, %r1, 3;\nTABLE: .branchtargets A, B, C, D;\nbrx.idx %r2, TABLE;\n"
      "A: mov.u32 %r9, 10;\nbra DONE;\nB: mov.u32 %r9, 11;\nbra DONE;\nC: mov.u32 %r9, 12;\nbra DONE;\n"
      "D: mov.u32 %r9, 13;\nDONE: add.u32 %r9, %r9, 0;");
  EXPECT_EQ(line(3).branches, 1U);
  EXPECT_EQ(line(3).divergent_branches, 1U);
  EXPECT_EQ(line(3).idle_caused, 24U * (2 + 2 + 2 + 1));
}

TEST_F(CounterTest, WhatBranchesCauseIsWhatLinesSee) {
  run_warps(
      "mov.u32 %r9, 0;\n"
      "LOOP: and.b32 %r2, %r9, %r1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\nadd.u32 %r3, %r9, 1;\n"
      "EVEN: add.u32 %r9, %r9, 1;\nsetp.le.u32 %p2, %r9, %r1;\n@%p2 bra LOOP;\nmov.u32 %r4, 0;",
      100, 5);
  std::uint64_t caused = 0, here = 0;
  for (const LineCounters& counters : seen.lines) {
    caused += counters.idle_caused;
    here += counters.idle_here;
    EXPECT_LE(counters.idle_here, 32 * counters.warps - counters.lanes) << counters.line.line;
  }
  EXPECT_GT(caused, 0U);
  EXPECT_EQ(caused, here);
}

// --- how far lanes lie apart ---

/// A load of 4 bytes at base + %r2, per lane.
std::string load_at(const std::string& bytes) {
  return bytes + "\ncvt.u64.u32 %d2, %r2;\nadd.u64 %d2, %d0, %d2;\nld.global.u32 %r3, [%d2];";
}

TEST_F(CounterTest, EvenlySpacedLanesTellTheirDistance) {
  run_warps(load_at("mul.lo.u32 %r2, %r1, 48;"));
  EXPECT_EQ(line(4).global_load.spaced_requests, 1U);
  EXPECT_EQ(line(4).global_load.spacing_bytes, 48U);
}

TEST_F(CounterTest, DescendingLanesTellTheSameDistance) {
  run_warps(load_at("sub.u32 %r2, 31, %r1;\nmul.lo.u32 %r2, %r2, 48;"));
  EXPECT_EQ(line(5).global_load.spacing_bytes, 48U);
}

TEST_F(CounterTest, RowsOfAThreadBlockThatAreShorterThanAWarpAreEvenToo) {
  // Lane t reads column t / 16 of row t mod 16, as the transpose of a block of 16 x 16 threads does.
  run_warps(
      load_at("and.b32 %r2, %r1, 15;\nshl.b32 %r2, %r2, 10;\nshr.u32 %r4, %r1, 4;\n"
              "shl.b32 %r4, %r4, 2;\nadd.u32 %r2, %r2, %r4;"));
  EXPECT_EQ(line(8).global_load.spacing_bytes, 1024U);
}

TEST_F(CounterTest, ScatteredLanesTellNone) {
  run_warps(load_at("mul.lo.u32 %r2, %r1, %r1;\nshl.b32 %r2, %r2, 5;"));
  EXPECT_EQ(line(5).global_load.units, 32U);
  EXPECT_EQ(line(5).global_load.spaced_requests, 0U);
}

TEST_F(CounterTest, AMisalignedStartIsSpacedByTheWidth) {
  run_warps(load_at("mul.lo.u32 %r2, %r1, 4;\nadd.u32 %r2, %r2, 4;"));
  EXPECT_EQ(line(5).global_load.units, 5U);
  EXPECT_EQ(line(5).global_load.spacing_bytes, 4U);
}

TEST_F(CounterTest, AccessesWithoutExcessTellNone) {
  run_warps(load_at("mul.lo.u32 %r2, %r1, 4;"));
  EXPECT_EQ(line(4).global_load.units, 4U);
  EXPECT_EQ(line(4).global_load.spaced_requests, 0U);
}

TEST_F(CounterTest, SharedMemoryTellsTheDistanceOfConflictingLanes) {
  run_warps("mov.u32 %r3, tile;\nshl.b32 %r2, %r1, 7;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;");
  EXPECT_EQ(line(4).shared_store.units, 32U);
  EXPECT_EQ(line(4).shared_store.spaced_requests, 1U);
  EXPECT_EQ(line(4).shared_store.spacing_bytes, 128U);
}

// --- what shared memory's accesses were, and the shape of launches ---

TEST_F(CounterTest, OneAccessOfEachInstructionIsKeptWhereLanesMeet) {
  // Warp w stores at a stride of 4 * 2^w bytes.
  const std::string body =
      "shr.u32 %r4, %r1, 5;\nand.b32 %r2, %r1, 31;\nadd.u32 %r4, %r4, 2;\nshl.b32 %r2, %r2, %r4;\n"
      "mov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;";
  run_warps(body, 64);
  std::vector<AccessTrace> stores;
  for (const AccessTrace& access : seen.shared_accesses)
    if (access.line.line == 7) stores.push_back(access);
  ASSERT_EQ(stores.size(), 1U);
  EXPECT_EQ(stores[0].operation, "store");
  EXPECT_EQ(stores[0].bytes, 4U);
  EXPECT_EQ(stores[0].units, 2U) << "of both warps the one with conflicts";
  EXPECT_EQ(stores[0].addresses[31] - stores[0].addresses[0], 31U * 8);
  EXPECT_EQ(stores[0].function, seen.kernels.at(0).kernel);
  EXPECT_EQ(seen.kernels.at(0).block[0], 64U);
}

TEST_F(CounterTest, OneAccessOfEachInstructionToGlobalMemoryIsKept) {
  // Warp w of a block loads at a stride of 4 * 2^w bytes; every block does.
  const std::string body =
      "shr.u32 %r4, %r1, 5;\nand.b32 %r2, %r1, 31;\nadd.u32 %r4, %r4, 2;\nshl.b32 %r2, %r2, %r4;\n"
      "cvt.u64.u32 %d2, %r2;\nadd.u64 %d2, %d0, %d2;\nld.global.u32 %r3, [%d2];";
  run_warps(body, 96, 40);
  std::vector<AccessTrace> loads;
  for (const AccessTrace& access : seen.global_accesses)
    if (access.line.line == 7) loads.push_back(access);
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(loads[0].space, "global");
  EXPECT_EQ(loads[0].operation, "load");
  EXPECT_EQ(loads[0].bytes, 4U);
  EXPECT_EQ(loads[0].active, 0xFFFF'FFFFU);
  EXPECT_EQ(loads[0].units, 16U) << "of three warps the one that moves most in vain";
  EXPECT_EQ(loads[0].ideal_units, 4U);
  EXPECT_EQ(loads[0].addresses[31] - loads[0].addresses[0], 31U * 16);
  EXPECT_EQ(loads[0].function, seen.kernels.at(0).kernel);
}

TEST_F(CounterTest, PassesAreWorkedOutAsTheDeviceCountsThem) {
  // The judge moves recorded addresses and asks how many passes they would take.
  const std::map<unsigned, std::string> stores = {{4, "st.shared.u32 [%r2], %r1;"},
                                                  {8, "st.shared.v2.u32 [%r2], {%r1, %r1};"},
                                                  {16, "st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};"}};
  unsigned compared = 0;
  for (const auto& [width, store] : stores) {
    for (unsigned stride = width; 32 * stride <= 4096; stride += width) {
      run_warps("mul.lo.u32 %r2, %r1, " + std::to_string(stride) +
                ";\nmov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\n" + store);
      for (const AccessTrace& access : seen.shared_accesses) {
        EXPECT_EQ(passes_in(access, {}), access.units) << width << " bytes, " << stride << " apart";
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 20U);
}

TEST_F(CounterTest, AnAccessIsKeptWhereNoLanesMeetToo) {
  run_warps("mov.u32 %r3, tile;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;", 64,
            6);
  ASSERT_EQ(seen.shared_accesses.size(), 1U);
  EXPECT_EQ(seen.shared_accesses[0].units, 1U);
  EXPECT_EQ(seen.kernels.at(0).grid[0], 6U);
}

}  // namespace
}  // namespace lockstep::emulator
