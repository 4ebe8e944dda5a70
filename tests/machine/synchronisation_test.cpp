// Barriers and warp-wide operations that their threads do not meet as they should.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class SynchronisationTest : public DeviceTest {};

TEST_F(SynchronisationTest, ABarrierInAUniformBranchIsFine) {
  run("setp.gt.u32 %p1, %r0, 5;\n@%p1 bra SKIP;\nbar.sync 0;\nSKIP: bar.sync 0;", 0, 0, 1, {4, 1, 1},
      {128, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SynchronisationTest, ABarrierThatOnlySomeThreadsMeetIsReported) {
  run("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nbar.sync 0;\nbra DONE;\nLOW: bar.sync 0;\nDONE: mov.u32 "
      "%r2, 0;",
      0, 0, 0, {}, {32, 1, 1});
  EXPECT_THAT(findings(), Contains(StartsWith("bad-sync")));
}

TEST_F(SynchronisationTest, WarpsAtDifferentBarriersAreReported) {
  run("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra LOW;\nbar.sync 0;\nbra DONE;\nLOW: bar.sync 0;\nDONE: mov.u32 "
      "%r2, 0;",
      0, 0, 0, {}, {64, 1, 1});
  EXPECT_THAT(findings(), Contains(StartsWith("bad-sync")));
}

TEST_F(SynchronisationTest, ThreadsThatHaveExitedAreNotWaitedFor) {
  const LaunchResult result =
      run("setp.ge.u32 %p1, %r1, 40;\n@%p1 exit;\nbar.sync 0;\nmov.u32 %r2, 0;", 0, 0, 0, {}, {96, 1, 1});
  EXPECT_EQ(result.status, LaunchResult::Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SynchronisationTest, ANamedBarrierThatNobodyElseReachesIsADeadlock) {
  const LaunchResult result = run("bar.sync 1, 128;", 0, 0, 0, {}, {64, 1, 1});
  EXPECT_NE(result.status, LaunchResult::Status::ok);
  EXPECT_THAT(findings(), Contains("deadlock 1"));
}

TEST_F(SynchronisationTest, ANamedBarrierDoesNotCountThreadsThatHaveExited) {
  run("setp.ge.u32 %p1, %r1, 64;\n@%p1 exit;\nbar.sync 1, 128;", 0, 0, 0, {}, {128, 1, 1});
  EXPECT_THAT(findings(), Contains("deadlock 3"));
}

TEST_F(SynchronisationTest, ABarrierOfPartOfAWarpIsReported) {
  run("setp.ge.u32 %p1, %r1, 48;\n@%p1 exit;\nbar.sync 1, 48;", 0, 0, 0, {}, {64, 1, 1});
  EXPECT_THAT(findings(), Contains("bad-sync 3"));
}

TEST_F(SynchronisationTest, AShuffleWaitsForLanesThatComeLater) {
  // The lanes below 16 take a longer way to the same shuffle.
  const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
  run("setp.lt.u32 %p1, %r1, 16;\nmov.u32 %r3, %r1;\n@!%p1 bra MEET;\nadd.u32 %r3, %r3, 100;\n"
      "MEET: xor.b32 %r4, %r1, 31;\nshfl.sync.idx.b32 %r2, %r3, %r4, 31, -1;\n"
      "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\nst.global.u32 [%d2], %r2;",
      out, 0, 0, {}, {32, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(out, 32);
  EXPECT_EQ(values[31], 100U);
  EXPECT_EQ(values[0], 31U);
}

TEST_F(SynchronisationTest, AShuffleWhoseMaskNamesLanesInAnotherBranchIsReported) {
  run("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra HIGH;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nHIGH: mov.u32 "
      "%r2, 0;\nbar.sync 0;",
      0, 0, 0, {}, {32, 1, 1});
  EXPECT_THAT(findings(), Contains("bad-sync 3"));
}

TEST_F(SynchronisationTest, ReadingALaneThatHasExitedIsReported) {
  run("setp.ge.u32 %p1, %r1, 16;\n@%p1 exit;\nshfl.sync.down.b32 %r2, %r1, 1, 31, -1;", 0, 0, 0, {},
      {32, 1, 1});
  EXPECT_THAT(findings(), Contains("bad-sync 3"));
}

TEST_F(SynchronisationTest, AMaskOfTheActiveLanesIsFine) {
  run("setp.ge.u32 %p1, %r1, 16;\n@%p1 bra DONE;\nvote.sync.ballot.b32 %r2, %p1, 0xFFFF;\nDONE: mov.u32 %r2, "
      "0;",
      0, 0, 0, {}, {32, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(SynchronisationTest, ALaneOutsideItsOwnMaskIsReported) {
  run("vote.sync.ballot.b32 %r2, %p1, 0xFFFF;", 0, 0, 0, {}, {32, 1, 1});
  EXPECT_THAT(findings(), Contains("bad-sync 1"));
}

TEST_F(SynchronisationTest, HalvesMayMeetApart) {
  // Each half passes a mask of its own to one shuffle.
  const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
  run("setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r3, 0xFFFF, 0xFFFF0000, %p1;\nselp.b32 %r4, 0, 16, %p1;\n"
      "redux.sync.add.u32 %r2, %r1, %r3;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\nst.global.u32 "
      "[%d2], %r2;",
      out, 0, 0, {}, {32, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(out, 32);
  EXPECT_EQ(values[0], 120U);
  EXPECT_EQ(values[31], 376U);
}

}  // namespace
}  // namespace lockstep::emulator
