// Races in shared memory: found with their two lines, and silent twins.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const kMirrorTile = ".shared .align 16 .b8 tile[1024];\n";
/// %r2: address of the thread's own word; %r3: of its mirror image in a block of 64.
const char* const kMirrorAddresses =
    "mov.u32 %r4, tile;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r4;\nxor.b32 %r3, %r1, 63;\nshl.b32 %r3, "
    "%r3, 2;\n"
    "add.u32 %r3, %r3, %r4;\n";  // lines 1 to 6

class SharedRaceTest : public DeviceTest {
 protected:
  void run_block(const std::string& body, unsigned threads = 64) {
    run(kMirrorAddresses + body, 0, 0, 0, {2, 1, 1}, {threads, 1, 1}, kMirrorTile);
  }
};

TEST_F(SharedRaceTest, AMissingBarrierIsFoundWithBothLines) {
  run_block("st.shared.u32 [%r2], %r1;\nld.shared.u32 %r5, [%r3];");
  ASSERT_THAT(findings(), Contains("race 8"));
  for (const Finding& finding : seen.findings) {
    if (finding.kind == Finding::Kind::race && finding.line.line == 8) {
      EXPECT_EQ(finding.other_line.line, 7U);
    }
  }
}

TEST_F(SharedRaceTest, RacesOfALoopAreCountedAndTheFirstThreadNamed) {
  // Warp 0 stores words that warp 1 then reads ten times, in each of two blocks.
  run_block(
      "setp.ge.u32 %p1, %r1, 32;\n@!%p1 st.shared.u32 [%r2], %r1;\n@!%p1 bra DONE;\nmov.u32 %r6, 0;\n"
      "GO: ld.shared.u32 %r5, [%r3];\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 10;\n@%p2 bra GO;\n"
      "DONE: mov.u32 %r5, 0;");
  ASSERT_THAT(findings(), ElementsAre("race 11"));
  EXPECT_EQ(seen.findings[0].count, 2U * 10 * 32);
  EXPECT_THAT(seen.findings[0].block, ElementsAre(0, 0, 0));
  EXPECT_THAT(seen.findings[0].thread, ElementsAre(32, 0, 0));
}

TEST_F(SharedRaceTest, ABarrierOrders) {
  run_block("st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r3];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SharedRaceTest, WritingAfterAnothersReadIsARace) {
  run_block("st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r3];\nst.shared.u32 [%r2], 1000;");
  EXPECT_THAT(findings(), Contains("race 10"));
}

TEST_F(SharedRaceTest, ReadingThenWritingWithABarrierIsFine) {
  run_block(
      "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r3];\nbar.sync 0;\nst.shared.u32 [%r2], "
      "%r5;");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SharedRaceTest, LanesOfOneWarpNeedSyncwarp) {
  const std::string exchange = "xor.b32 %r5, %r2, 4;\nst.shared.u32 [%r2], %r1;\n";
  run_block(exchange + "ld.shared.u32 %r6, [%r5];", 32);
  EXPECT_THAT(findings(), Contains("race 9"));
  run_block(exchange + "bar.warp.sync -1;\nld.shared.u32 %r6, [%r5];", 32);
  EXPECT_THAT(findings(), IsEmpty());
}

// Each lane reads its neighbour's word, which that then overwrites.
TEST_F(SharedRaceTest, WritingAfterAnotherLanesReadNeedsSyncwarp) {
  const std::string read =
      "xor.b32 %r5, %r2, 4;\nst.shared.u32 [%r2], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r6, [%r5];\n";
  const std::string write = "st.shared.u32 [%r2], 1000;";
  run_block(read + write, 32);
  ASSERT_THAT(findings(), ElementsAre("race 11"));
  EXPECT_EQ(seen.findings[0].other_line.line, 10U);
  EXPECT_EQ(seen.findings[0].other_access, Finding::Access::read);
  EXPECT_EQ(seen.findings[0].scope, Finding::Scope::warp);
  run_block(read + "bar.warp.sync -1;\n" + write, 32);
  EXPECT_THAT(findings(), IsEmpty());
  run_block(read + "st.volatile.shared.u32 [%r2], 1000;", 32);
  EXPECT_THAT(findings(), IsEmpty()) << "as of a read that follows another lane's write";
}

TEST_F(SharedRaceTest, ALaneMayOverwriteWhatItAloneRead) {
  run_block(
      "st.shared.u32 [%r2], %r1;\nld.shared.u32 %r6, [%r2];\nadd.u32 %r6, %r6, 1;\nst.shared.u32 [%r2], %r6;",
      32);
  EXPECT_THAT(findings(), IsEmpty());
}

// All lanes read one word; then one of them overwrites it.
TEST_F(SharedRaceTest, WritingAfterABroadcastNeedsSyncwarp) {
  const std::string body =
      "mov.u32 %r5, tile;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r5], 5;\nbar.warp.sync -1;\n"
      "ld.shared.u32 %r6, [%r5];\n";
  run_block(body + "@%p1 st.shared.u32 [%r5], 6;", 32);
  EXPECT_THAT(findings(), ElementsAre("race 12"));
  run_block(body + "bar.warp.sync -1;\n@%p1 st.shared.u32 [%r5], 6;", 32);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SharedRaceTest, VolatileAccessesMeetAtomicsInOneWord) {
  const std::string cleared =
      "mov.u32 %r5, tile;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r5], 0;\nbar.sync 0;\n";
  run_block(cleared +
            "ld.volatile.shared.u32 %r6, [%r5];\natom.shared.add.u32 %r6, [%r5], 1;\n"
            "ld.volatile.shared.u32 %r6, [%r5];\nst.volatile.shared.u32 [%r5], %r1;\n"
            "ld.volatile.shared.u32 %r6, [%r5];");
  EXPECT_THAT(findings(), IsEmpty());
  run_block(cleared + "ld.shared.u32 %r6, [%r5];\natom.shared.add.u32 %r6, [%r5], 1;");
  ASSERT_THAT(findings(), Contains("race 12"));
  EXPECT_TRUE(seen.findings[0].changed_atomically);
}

// One warp reads neighbouring words, which the other updates.
TEST_F(SharedRaceTest, VolatileReadsOfARunMeetAtomics) {
  const std::string cleared =
      "st.shared.u32 [%r2], 0;\nbar.sync 0;\nand.b32 %r5, %r1, 31;\nmov.u32 %r6, tile;\n"
      "mad.lo.u32 %r5, %r5, 4, %r6;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra updates;\n";
  const std::string updates = "bra.uni done;\nupdates:\natom.shared.add.u32 %r6, [%r5], 1;\ndone:\n";
  run_block(cleared + "ld.volatile.shared.u32 %r6, [%r5];\n" + updates, 64);
  EXPECT_THAT(findings(), IsEmpty());
  run_block(cleared + "ld.volatile.shared.u32 %r6, [%r5];\nld.shared.u32 %r6, [%r5];\n" + updates, 64);
  EXPECT_THAT(findings(), ::testing::Not(IsEmpty())) << "one that is not volatile";
}

TEST_F(SharedRaceTest, VolatileAccessesAreNoBarrier) {
  run_block("st.volatile.shared.u32 [%r2], %r1;\nld.volatile.shared.u32 %r5, [%r3];");
  EXPECT_THAT(findings(), Contains("race 8"));
  EXPECT_FALSE(seen.findings[0].changed_atomically);
  EXPECT_TRUE(seen.findings[0].is_volatile);
  run_block(
      "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.volatile.shared.u32 %r5, [%r3];\n"
      "st.volatile.shared.u32 [%r2], 1000;");
  EXPECT_THAT(findings(), Contains("race 10"));
}

TEST_F(SharedRaceTest, TwoLanesThatWriteDifferentValuesToOneWordRace) {
  run_block("mov.u32 %r5, tile;\nst.shared.u32 [%r5], %r1;", 32);
  EXPECT_THAT(findings(), ElementsAre("race 8"));
}

TEST_F(SharedRaceTest, WritingTheSameValueIsNoRace) {
  run_block("mov.u32 %r5, tile;\nmov.u32 %r6, 7;\nst.shared.u32 [%r5], %r6;");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SharedRaceTest, AtomicsDoNotRaceWithEachOther) {
  run_block(
      "mov.u32 %r5, tile;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r5], 0;\nbar.sync 0;\n"
      "atom.shared.add.u32 %r6, [%r5], 1;\nbar.sync 0;\nld.shared.u32 %r6, [%r5];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SharedRaceTest, AnAtomicRacesWithAPlainRead) {
  run_block(
      "mov.u32 %r5, tile;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r5], 0;\nbar.sync 0;\n"
      "atom.shared.add.u32 %r6, [%r5], 1;\nld.shared.u32 %r6, [%r5];");
  EXPECT_THAT(findings(), Contains("race 12"));
}

// The load and the store of `count += i`, and those of `sums[i] += sums[63 - i]`.
TEST_F(SharedRaceTest, AnUpdateIsToldFromAReadOfAnothersElement) {
  const std::string cleared = "mov.u32 %r7, tile;\nst.shared.u32 [%r7], 0;\nbar.sync 0;\n";
  run_block(
      cleared +
      "ld.shared.u32 %r5, [%r7]; add.u32 %r5, %r5, %r1; add.u32 %r5, %r5, 1; st.shared.u32 [%r7], %r5;");
  ASSERT_THAT(findings(), ElementsAre("race 10"));
  EXPECT_TRUE(seen.findings[0].of_updates);
  run_block(cleared + "ld.shared.u32 %r5, [%r7];\nadd.u32 %r5, %r5, %r1;\nst.shared.u32 [%r7+4], %r1;");
  for (const Finding& finding : seen.findings) EXPECT_FALSE(finding.of_updates);
  run_block(
      "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r3]; ld.shared.u32 %r6, [%r2]; "
      "add.u32 %r6, %r6, %r5; add.u32 %r6, %r6, 1; st.shared.u32 [%r2], %r6;");
  ASSERT_THAT(findings(), Contains("race 9"));
  for (const Finding& finding : seen.findings) EXPECT_FALSE(finding.of_updates);
}

TEST_F(SharedRaceTest, WhatTheAccessesDidAndWhereAllHaveMetIsKept) {
  run_block("st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r3];\nst.shared.u32 [%r2], 1000;");
  ASSERT_THAT(findings(), Contains("race 10"));
  for (const Finding& finding : seen.findings) {
    const bool writes = finding.line.line == 10;
    EXPECT_EQ(finding.access, writes ? Finding::Access::write : Finding::Access::read);
    EXPECT_EQ(finding.other_access, writes ? Finding::Access::read : Finding::Access::write);
    ASSERT_EQ(finding.barrier.size(), 1U);
    EXPECT_EQ(finding.barrier[0].line, 8U);
  }
  run_block("st.shared.u32 [%r2], %r1;\nld.shared.u32 %r5, [%r3];");
  ASSERT_THAT(findings(), Contains("race 8"));
  EXPECT_THAT(seen.findings[0].barrier, IsEmpty()) << "of the block before, in the same memory";
}

TEST_F(SharedRaceTest, BytesOfOneWordAreApart) {
  run_block("mov.u32 %r5, tile;\nadd.u32 %r5, %r5, %r1;\nst.shared.u8 [%r5], %r1;\nld.shared.u8 %r6, [%r5];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SharedRaceTest, NamedBarriersOrderTheWarpsThatTakePart) {
  // Warp 0 writes, warps 0 and 1 meet at barrier 1, warp 1 reads; warp 2 takes no part.
  const std::string body =
      "shr.u32 %r5, %r1, 5;\nsetp.eq.u32 %p1, %r5, 0;\nsetp.eq.u32 %p2, %r5, 1;\nsetp.gt.u32 %p3, %r5, 1;\n"
      "mov.u32 %r7, tile;\nsetp.eq.u32 %p4, %r1, 0;\n@%p4 st.shared.u32 [%r7], 5;\n@%p3 bra DONE;\nbar.sync "
      "1, 64;\n"
      "@!%p2 bra DONE;\nld.shared.u32 %r6, [%r7];\nDONE: mov.u32 %r8, 0;";
  run_block(body, 96);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SharedRaceTest, ANamedBarrierDoesNotOrderAWarpThatTakesNoPart) {
  const std::string body =
      "shr.u32 %r5, %r1, 5;\nsetp.gt.u32 %p3, %r5, 1;\nmov.u32 %r7, tile;\nsetp.eq.u32 %p4, %r1, 0;\n"
      "@%p4 st.shared.u32 [%r7], 5;\n@%p3 bra READ;\nbar.sync 1, 64;\nbra DONE;\nREAD: ld.shared.u32 %r6, "
      "[%r7];\n"
      "DONE: mov.u32 %r8, 0;";
  run_block(body, 96);
  EXPECT_THAT(findings(), Contains("race 15"));
}

TEST_F(SharedRaceTest, NeighboursOfANarrowAsynchronousCopyDoNotRace) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(32, 5));
  const std::string copy =
      "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\n"
      "cp.async.ca.shared.global [%r2], [%d2], 4;\ncp.async.wait_all;\n";
  const std::string read = "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4];";
  run(kMirrorAddresses + copy + "bar.sync 0;\n" + read, a, 0, 0, {1, 1, 1}, {32, 1, 1}, kMirrorTile);
  EXPECT_THAT(findings(), IsEmpty());
  run(kMirrorAddresses + copy + read, a, 0, 0, {1, 1, 1}, {32, 1, 1}, kMirrorTile);
  EXPECT_THAT(findings(), Contains("race 11"));
}

TEST_F(SharedRaceTest, AnotherBlockDoesNotCount) {
  run("mov.u32 %r2, tile;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r2], %r1;\nbar.sync "
      "0;\nld.shared.u32 %r3, [%r2];",
      0, 0, 0, {50, 1, 1}, {64, 1, 1}, kMirrorTile);
  EXPECT_THAT(findings(), IsEmpty());
}

// The clearing thread is the first to count, so that its atomic comes between.
TEST_F(SharedRaceTest, AnAtomicDoesNotHideAnEarlierWrite) {
  run("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra COUNT;\nst.shared.u32 [bins], 0;\n"
      "COUNT: atom.shared.add.u32 %r2, [bins], 1;",
      0, 0, 0, {}, {64, 1, 1}, ".shared .align 4 .b8 bins[4];\n");
  EXPECT_THAT(findings(), Contains("race 4"));
}

}  // namespace
}  // namespace lockstep::emulator
