// Asynchronous copies: they arrive when they are waited for, and who touches them before has a race.
#include <map>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Status = LaunchResult::Status;

const char* const kCopyTile = ".shared .align 16 .b8 tile[4096];\n";
/// %r2: address of the thread's own 16 bytes of the tile; %r3: of its neighbour's; %d2 and %d3: of the
/// thread's own 16 bytes of a and of its word of b.
const char* const kCopyAddresses =
    "mov.u32 %r4, tile;\nshl.b32 %r2, %r1, 4;\nadd.u32 %r2, %r2, %r4;\nxor.b32 %r3, %r1, 1;\nshl.b32 %r3, "
    "%r3, 4;\nadd.u32 %r3, %r3, %r4;\nmul.wide.u32 %d2, %r1, 16;\nadd.u64 %d2, %d0, %d2;\nmul.wide.u32 %d3, "
    "%r1, 4;\nadd.u64 %d3, %d1, %d3;\n";  // lines 1 to 10

class CopyAsyncTest : public DeviceTest {
 protected:
  static constexpr std::uint32_t kThreads = 64;

  CopyAsyncTest() {
    std::vector<std::uint32_t> values(4 * kThreads);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = 1000 + i;
    a = upload(values);
    b = upload(std::vector<std::uint32_t>(kThreads, 7));
  }
  LaunchResult run_copy(const std::string& body, unsigned threads = kThreads) {
    return run(kCopyAddresses + body, a, b, 0, {}, {threads, 1, 1}, kCopyTile);
  }

  DeviceAddress a = 0, b = 0;
};

TEST_F(CopyAsyncTest, WhatIsWaitedForIsThere) {
  run_copy(
      "cp.async.cg.shared.global [%r2], [%d2], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
      "bar.sync 0;\nld.shared.u32 %r5, [%r3+4];\nst.global.u32 [%d3], %r5;");
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(b, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(values[t], 1000 + 4 * (t ^ 1) + 1);
}

TEST_F(CopyAsyncTest, BeforeTheWaitTheOldValueIsRead) {
  run_copy(
      "st.shared.u32 [%r2], 5;\ncp.async.ca.shared.global [%r2], [%d2], 4;\ncp.async.commit_group;\n"
      "ld.shared.u32 %r5, [%r2];\ncp.async.wait_group 0;\nst.global.u32 [%d3], %r5;");
  ASSERT_THAT(findings(), ElementsAre("race 14"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::copy_not_awaited);
  EXPECT_EQ(seen.findings[0].other_line.line, 12U);
  EXPECT_THAT(download<std::uint32_t>(b, kThreads), ::testing::Each(5U));
}

TEST_F(CopyAsyncTest, CopiesOfAPartCountTheirSectorsAndTakePartInRaces) {
  for (const char* bytes : {"16", "12", "4"}) {
    run_copy(std::string("cp.async.ca.shared.global [%r2], [%d2], 16, ") + bytes + ";\ncp.async.wait_all;",
             32);
    std::uint64_t sectors = 0;
    for (const LineCounters& line : seen.lines) sectors += line.global_load.units;
    EXPECT_EQ(sectors, 16U) << bytes;
    EXPECT_THAT(findings(), IsEmpty());
    run(std::string(kCopyAddresses) +
            "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 st.global.u32 [%d2], %r1;\n"
            "@!%p1 cp.async.ca.shared.global [%r2], [%d2], 16, " +
            bytes + ";\ncp.async.wait_all;",
        a, b, 0, {2, 1, 1}, {32, 1, 1}, kCopyTile);
    EXPECT_THAT(findings(), Contains(::testing::StartsWith("race "))) << bytes;
  }
}

TEST_F(CopyAsyncTest, ABarrierIsNoWait) {
  run_copy("cp.async.ca.shared.global [%r2], [%d2], 4;\nbar.sync 0;\nld.shared.u32 %r5, [%r3];");
  EXPECT_THAT(findings(), ElementsAre("race 13"));
}

TEST_F(CopyAsyncTest, AWaitIsNoBarrier) {
  run_copy(
      "cp.async.ca.shared.global [%r2], [%d2], 4;\ncp.async.wait_all;\nld.shared.u32 %r5, [%r2];\n"
      "ld.shared.u32 %r5, [%r3];");
  EXPECT_THAT(findings(), ElementsAre("race 14"));
}

TEST_F(CopyAsyncTest, AWriteBeforeTheWaitIsARace) {
  run_copy("cp.async.ca.shared.global [%r2], [%d2], 4;\nst.shared.u32 [%r2], %r1;\ncp.async.wait_all;");
  EXPECT_THAT(findings(), ElementsAre("race 12"));
}

TEST_F(CopyAsyncTest, OverwritingWhatOthersStillReadIsARace) {
  run_copy(
      "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nxor.b32 %r6, %r2, 512;\nld.shared.u32 %r5, [%r6];\n"
      "cp.async.ca.shared.global [%r2], [%d2], 4;\ncp.async.wait_all;");
  EXPECT_THAT(findings(), Contains("race 15"));
}

// Two groups: waiting for all but one makes the first arrive, and leaves the second under way.
TEST_F(CopyAsyncTest, GroupsAreCountedFromTheLatest) {
  const std::string copies =
      "cp.async.ca.shared.global [%r2], [%d2], 4;\ncp.async.commit_group;\n"
      "cp.async.ca.shared.global [%r2+4], [%d2+4], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\n";
  run_copy(copies + "ld.shared.u32 %r5, [%r2];");
  EXPECT_THAT(findings(), IsEmpty());
  run_copy(copies + "ld.shared.u32 %r5, [%r2+4];");
  EXPECT_THAT(findings(), ElementsAre("race 16"));
  // A group may be empty: it counts all the same.
  run_copy(copies + "cp.async.commit_group;\ncp.async.wait_group 1;\nld.shared.u32 %r5, [%r2+4];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(CopyAsyncTest, WhatIsNotCommittedIsNotWaitedFor) {
  run_copy("cp.async.ca.shared.global [%r2], [%d2], 4;\ncp.async.wait_group 0;\nld.shared.u32 %r5, [%r2];");
  EXPECT_THAT(findings(), ElementsAre("race 13"));
}

// Lanes count their groups apart: those that committed none wait for none.
TEST_F(CopyAsyncTest, EveryThreadHasGroupsOfItsOwn) {
  run_copy(
      "cp.async.ca.shared.global [%r2], [%d2], 4;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 cp.async.commit_group;\n"
      "cp.async.wait_group 0;\n@%p1 ld.shared.u32 %r5, [%r2];\n@!%p1 ld.shared.u32 %r5, [%r2];",
      32);
  EXPECT_THAT(findings(), ElementsAre("race 16"));
}

TEST_F(CopyAsyncTest, ASmallerSourceIsFilledWithZeros) {
  run_copy(
      "and.b32 %r6, %r1, 3;\nshl.b32 %r6, %r6, 2;\ncp.async.cg.shared.global [%r2], [%d2], 16, %r6;\n"
      "cp.async.wait_all;\nld.shared.u32 %r5, [%r2+4];\nst.global.u32 [%d3], %r5;");
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(b, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(values[t], t % 4 >= 2 ? 1000 + 4 * t + 1 : 0) << t;
}

// The bytes beyond the source's size are not read: they may lie past the end of an allocation.
TEST_F(CopyAsyncTest, OnlyTheSourcesSizeIsRead) {
  const DeviceAddress short_one = upload(std::vector<std::uint32_t>(1, 3));
  const std::string copy = "mov.u32 %r4, tile;\nmov.u32 %r6, ";
  const std::string rest = ";\ncp.async.cg.shared.global [%r4], [%d0], 16, %r6;\ncp.async.wait_all;";
  run(copy + "4" + rest, short_one, 0, 0, {}, {1, 1, 1}, kCopyTile);
  EXPECT_THAT(findings(), IsEmpty());
  run(copy + "8" + rest, short_one, 0, 0, {}, {1, 1, 1}, kCopyTile);
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 3"));
}

TEST_F(CopyAsyncTest, ASourceMayBeIgnored) {
  run_copy(
      "setp.lt.u32 %p1, %r1, 8;\ncp.async.cg.shared.global [%r2], [%d2], 16, %p1;\ncp.async.wait_all;\n"
      "ld.shared.u32 %r5, [%r2];\nst.global.u32 [%d3], %r5;");
  const auto values = download<std::uint32_t>(b, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(values[t], t < 8 ? 0 : 1000 + 4 * t) << t;
}

TEST_F(CopyAsyncTest, CopiesThatNobodyWaitsForHarmNoLaterBlock) {
  run(std::string(kCopyAddresses) +
          "ld.global.u32 %r6, [%d3];\nmov.u32 %r7, %ctaid.x;\nand.b32 %r7, %r7, 1;\n"
          "setp.eq.u32 %p1, %r7, 0;\n@%p1 cp.async.ca.shared.global [%r2], [%d2], 4;\n@%p1 ret;\n"
          "st.shared.u32 [%r2], %r6;\nld.shared.u32 %r5, [%r2];",
      a, b, 0, {64, 1, 1}, {kThreads, 1, 1}, kCopyTile);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(CopyAsyncTest, CopiesWithoutEndTakeBoundedMemory) {
  const LaunchResult result = run_copy(
      "mov.u32 %r5, 0;\nLOOP: cp.async.ca.shared.global [%r2], [%d2], 4;\nadd.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %p1, %r5, 5000;\n@%p1 bra LOOP;\ncp.async.wait_all;\nld.shared.u32 %r6, [%r2];");
  EXPECT_EQ(result.status, Status::ok);
  // Nothing orders two copies to one place.
  EXPECT_THAT(findings(), ElementsAre("race 12"));
}

TEST_F(CopyAsyncTest, TrafficIsThatOfALoadAndAStore) {
  run_copy("cp.async.ca.shared.global [%r2], [%d2], 16;\ncp.async.wait_all;", 32);
  for (const LineCounters& line : seen.lines) {
    if (line.line.line != 11) continue;
    EXPECT_EQ(line.global_load.units, 16U);
    EXPECT_EQ(line.shared_store.units, 4U);
  }
}

TEST_F(CopyAsyncTest, UnknownFormsAreRefused) {
  for (const char* body :
       {"cp.async.cg.shared.global [%r2], [%d0], 8;", "cp.async.ca.shared.global [%r2], [%d0], 3;",
        "cp.async.ca.global.shared [%r2], [%d0], 4;", "cp.async.wait_group %r1;",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d0, {%r1}], "
        "[%r3];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d0], [%r2], %r3;",
        "cp.async.bulk.shared::cluster.global.bulk_group [%r2], [%d0], %r3;"}) {
    const Device::ModuleId module = device.load_ptx(kernel_text(body));
    EXPECT_THROW(device.kernel(module, "kernel"), DeviceError) << body;
  }
}

const char* const kBulk = ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b8 bar[8];\n";
/// Thread 0 makes an mbarrier of one arrival and copies 1024 bytes from a; lines 1 to 11.
const char* const kBulkCopy =
    "mov.u32 %r4, tile;\nmov.u32 %r5, bar;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r4;\nsetp.ne.u32 %p1, "
    "%r1, "
    "0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [%r5], 1;\nmbarrier.arrive.expect_tx.shared.b64 %d5, "
    "[%r5], "
    "1024;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d0], 1024, "
    "[%r5];\nREADY: "
    "bar.sync 0;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d1, %d3;\n";
const char* const kWait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n@!%p2 bra WAIT;\n";

TEST_F(CopyAsyncTest, ABulkCopyArrivesAtItsMbarrier) {
  const LaunchResult result =
      run(std::string(kBulkCopy) + kWait + "ld.shared.u32 %r6, [%r2];\nst.global.u32 [%d3], %r6;", a, b, 0,
          {}, {kThreads, 1, 1}, kBulk);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(b, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(values[t], 1000 + t);
}

TEST_F(CopyAsyncTest, BulkCopiesCountTheirSectors) {
  // Each thread fetches the 16 bytes that it wants of its own 128, writes 32 bytes across two sectors, and
  // nothing.
  const DeviceAddress rows = upload(std::vector<std::uint32_t>(32 * 32, 1));
  run("mov.u32 %r4, tile;\nmov.u32 %r5, bar;\nshl.b32 %r2, %r1, 5;\nadd.u32 %r2, %r2, %r4;\n"
      "mul.wide.u32 %d2, %r1, 128;\nadd.u64 %d2, %d0, %d2;\nmbarrier.init.shared.b64 [%r5], 32;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d2], 16, [%r5];\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%d2+48], [%r2], 32;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r2], 0;",
      rows, 0, 0, {}, {32, 1, 1}, kBulk);
  std::map<unsigned, LineCounters> line;
  for (const LineCounters& counters : seen.lines) line[counters.line.line] = counters;
  EXPECT_EQ(line[8].global_load.requests, 32U);
  EXPECT_EQ(line[8].global_load.units, 32U);
  EXPECT_EQ(line[8].global_load.ideal_units, 32U);
  EXPECT_EQ(line[8].global_load.bytes, 32U * 16);
  EXPECT_EQ(line[9].global_store.requests, 32U);
  EXPECT_EQ(line[9].global_store.units, 64U);
  EXPECT_EQ(line[9].global_store.ideal_units, 32U);
  EXPECT_EQ(line[10].global_store.requests, 0U) << "of no bytes";
}

TEST_F(CopyAsyncTest, ABulkCopyThatNobodyWaitsForIsARace) {
  run(std::string(kBulkCopy) + "ld.shared.u32 %r6, [%r2];", a, b, 0, {}, {kThreads, 1, 1}, kBulk);
  EXPECT_THAT(findings(), Contains("race 13"));
}

TEST_F(CopyAsyncTest, ABulkCopyToGlobalMemoryIsDoneWhenItsGroupIs) {
  const DeviceAddress out = upload(std::vector<std::uint32_t>(kThreads, 0));
  run("mov.u32 %r4, tile;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r4;\nst.shared.u32 [%r2], %r1;\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r4], 256;\ncp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group.read 0;\nDONE: mov.u32 %r5, 0;",
      out, 0, 0, {}, {kThreads, 1, 1}, kBulk);
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(out, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(values[t], t);
}

TEST_F(CopyAsyncTest, ABulkCopyStaysInItsAllocations) {
  const std::string head = "mov.u32 %r4, tile;\nmov.u32 %r5, bar;\nmbarrier.init.shared.b64 [%r5], 1;\n";
  const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
  const auto run_one = [&](const std::string& operands) {
    run(head + copy + operands, a, 0, 0, {}, {1, 1, 1}, kBulk);
    return findings();
  };
  EXPECT_THAT(run_one("[%r4], [%d0+16], 1024, [%r5];"), ElementsAre("out-of-bounds 4"));
  EXPECT_THAT(run_one("[%r4+16], [%d0], 1024, [%r5];"), ElementsAre("out-of-bounds 4"));
  EXPECT_THAT(run_one("[%r4], [%d0], 4294967280, [%r5];"), ElementsAre("out-of-bounds 4"));
  EXPECT_THAT(run_one("[%r4], [%d0+4], 16, [%r5];"), ElementsAre("misaligned 4"));
  EXPECT_THAT(run_one("[%r4+4], [%d0], 16, [%r5];"), ElementsAre("misaligned 4"));
  EXPECT_THAT(run_one("[%r4], [%d0], 20, [%r5];"), ElementsAre("bad-sync 4"));
  EXPECT_THAT(run_one("[%r4], [%d0], 16, [%r4];"), ElementsAre("bad-sync 4"));
}

}  // namespace
}  // namespace lockstep::emulator
