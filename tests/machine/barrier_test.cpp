// Barriers with numbers, counts of threads, arrivals without a wait, and votes.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Status = LaunchResult::Status;

class BarrierTest : public DeviceTest {};

const char* const kTile = ".shared .align 16 .b8 tile[1024];\n";
/// %r2: the thread's word of the tile; %r3: another warp's; %d3: its word of a. Lines 1 to 6.
const char* const kAddresses =
    "mov.u32 %r4, tile;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r4;\nxor.b32 %r3, %r2, 128;\n"
    "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d0, %d3;\n";

// Warp 0 fills the tile four times, warp 1 reads it each time; they meet at two barriers, at places of their
// own.
TEST_F(BarrierTest, ProducerAndConsumer) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(64, 0));
  const std::string loop =
      "mov.u32 %r5, 0;\nmov.u32 %r7, 0;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra CONSUME;\n"
      "PRODUCE: bar.sync 1, 64;\nadd.u32 %r6, %r1, %r5;\nst.shared.u32 [%r2], %r6;\nbar.arrive 2, 64;\n"
      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 4;\n@%p2 bra PRODUCE;\nret;\n"
      "CONSUME: barrier.cta.arrive 1, 64;\nbar.sync 2, 64;\nld.shared.u32 %r6, [%r3];\nadd.u32 %r7, %r7, "
      "%r6;\n"
      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 4;\n@%p2 bra CONSUME;\nst.global.u32 [%d3], %r7;";
  const LaunchResult result = run(kAddresses + loop, a, 0, 0, {}, {64, 1, 1}, kTile);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(a, 64);
  for (std::uint32_t t = 32; t < 64; ++t) EXPECT_EQ(values[t], 4 * (t - 32) + 0 + 1 + 2 + 3);
}

TEST_F(BarrierTest, AnArrivalDoesNotLetOneRead) {
  run(std::string(kAddresses) +
          "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHER;\nst.shared.u32 [%r2], %r1;\nbar.sync 1, 64;\nret;\n"
          "OTHER: bar.arrive 1, 64;\nld.shared.u32 %r6, [%r3];",
      0, 0, 0, {}, {64, 1, 1}, kTile);
  EXPECT_THAT(findings(), ::testing::Not(IsEmpty()));
}

TEST_F(BarrierTest, VotesOfTheWholeBlock) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(96, 0));
  run(std::string(kAddresses) +
          "setp.lt.u32 %p1, %r1, 70;\nbar.red.popc.u32 %r5, 0, %p1;\nbarrier.cta.red.and.pred %p2, 0, %p1;\n"
          "barrier.red.or.pred %p3, 0, %p1;\nbar.red.popc.u32 %r6, 0, !%p1;\nselp.u32 %r7, 1, 0, %p2;\n"
          "selp.u32 %r8, 1, 0, %p3;\nmad.lo.u32 %r5, %r5, 10, %r7;\nmad.lo.u32 %r5, %r5, 10, %r8;\n"
          "mad.lo.u32 %r5, %r5, 100, %r6;\nst.global.u32 [%d3], %r5;",
      a, 0, 0, {}, {96, 1, 1}, kTile);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(download<std::uint32_t>(a, 96), Each(700'000U + 100 + 26));
}

TEST_F(BarrierTest, AVoteWithACountOfThreads) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(96, 0));
  run(std::string(kAddresses) +
          "setp.ge.u32 %p1, %r1, 64;\n@%p1 ret;\nsetp.lt.u32 %p2, %r1, 40;\nbar.red.popc.u32 %r5, 3, 64, "
          "%p2;\n"
          "st.global.u32 [%d3], %r5;",
      a, 0, 0, {}, {96, 1, 1}, kTile);
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<std::uint32_t>(a, 96);
  EXPECT_EQ(values[63], 40U);
  EXPECT_EQ(values[64], 0U);
}

TEST_F(BarrierTest, ABlockHasSixteenBarriersOfWholeWarps) {
  EXPECT_EQ(run("bar.sync 15;", 0, 0, 0, {}, {64, 1, 1}).status, Status::ok);
  EXPECT_EQ(run("bar.sync 16;", 0, 0, 0, {}, {64, 1, 1}).status, Status::illegal_instruction);
  EXPECT_EQ(run("bar.arrive %r1, 64;\nbar.arrive 4000000000, 64;", 0, 0, 0, {}, {64, 1, 1}).status,
            Status::illegal_instruction);
  EXPECT_EQ(run("bar.sync 1, 33;", 0, 0, 0, {}, {64, 1, 1}).status, Status::illegal_instruction);
}

}  // namespace
}  // namespace lockstep::emulator
