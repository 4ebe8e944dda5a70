// Races between blocks through global memory, and the ways to order them.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// %r2 block index, %d3 address of word [block] of a, %d4 of word [block ^ 1].
const char* const kAddresses =
    "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d3, %d3, %d0;\nxor.b32 %r3, %r2, 1;\n"
    "mul.wide.u32 %d4, %r3, 4;\nadd.u64 %d4, %d4, %d0;\n";  // lines 1 to 6

class GlobalRaceTest : public DeviceTest {
 protected:
  void run_blocks(const std::string& body, unsigned blocks = 8) {
    const DeviceAddress a = upload(std::vector<std::uint32_t>(64, 0), "a");
    const DeviceAddress b = upload(std::vector<std::uint32_t>(64, 0), "flags");
    EXPECT_EQ(run(kAddresses + body, a, b, 0, {blocks, 1, 1}, {1, 1, 1}).status, LaunchResult::Status::ok);
  }
};

TEST_F(GlobalRaceTest, ReadingWhatAnotherBlockWritesIsARace) {
  run_blocks("st.global.u32 [%d3], %r2;\nld.global.u32 %r4, [%d4];");
  ASSERT_FALSE(seen.findings.empty());
  EXPECT_EQ(seen.findings[0].kind, Finding::Kind::race);
  EXPECT_THAT(seen.findings[0].message, ::testing::HasSubstr("'a'"));
}

TEST_F(GlobalRaceTest, BlocksThatKeepToTheirOwnWordsDoNotRace) {
  run_blocks("st.global.u32 [%d3], %r2;\nld.global.u32 %r4, [%d3];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, AllMayRead) {
  run_blocks("ld.global.u32 %r4, [%d0];\nld.global.u32 %r4, [%d4];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, WritingTheSameValueIsNoRace) {
  run_blocks("mov.u32 %r5, 9;\nst.global.u32 [%d0], %r5;");
  EXPECT_THAT(findings(), ::testing::SizeIs(::testing::Le(1))) << "the first write changes the word";
  run_blocks("mov.u32 %r5, 0;\nst.global.u32 [%d0], %r5;");
  EXPECT_THAT(findings(), IsEmpty());
}

const char* const kPublish =
    "st.global.u32 [%d3], %r2;\nmembar.gl;\nmul.wide.u32 %d5, %r2, 4;\nadd.u64 %d5, %d5, %d1;\n"
    "st.volatile.global.u32 [%d5], 1;\n";
const char* const kAwait =
    "mul.wide.u32 %d6, %r3, 4;\nadd.u64 %d6, %d6, %d1;\nWAIT: ld.volatile.global.u32 %r5, [%d6];\n"
    "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra WAIT;\nmembar.gl;\nld.global.u32 %r4, [%d4];";

TEST_F(GlobalRaceTest, AFlagWithFencesOrders) {
  run_blocks(std::string(kPublish) + kAwait);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, AFlagWithoutAFenceDoesNotOrder) {
  std::string body = std::string(kPublish) + kAwait;
  body.replace(body.find("membar.gl;"), 10, "membar.cta;");
  body.replace(body.find("membar.gl;"), 10, "membar.cta;");
  run_blocks(body);
  EXPECT_THAT(findings(), Contains("race 18"));
}

TEST_F(GlobalRaceTest, ReleaseAndAcquireOrder) {
  run_blocks(
      "st.global.u32 [%d3], %r2;\nmul.wide.u32 %d5, %r2, 4;\nadd.u64 %d5, %d5, "
      "%d1;\nst.release.gpu.global.u32 [%d5], 1;\n"
      "mul.wide.u32 %d6, %r3, 4;\nadd.u64 %d6, %d6, %d1;\nWAIT: ld.acquire.gpu.global.u32 %r5, [%d6];\n"
      "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra WAIT;\nld.global.u32 %r4, [%d4];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, TheLastBlockMayReadWhatAllPublished) {
  run_blocks(
      "st.global.u32 [%d3], %r2;\nmembar.gl;\natom.global.add.u32 %r5, [%d1], 1;\nsetp.ne.u32 %p1, %r5, "
      "7;\n@%p1 exit;\n"
      "ld.global.u32 %r4, [%d0];\nld.global.u32 %r4, [%d0+12];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, LaunchesAreOrdered) {
  run_blocks("st.global.u32 [%d3], %r2;");
  run_blocks("ld.global.u32 %r4, [%d4];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, NarrowStoresToNeighbouringBytesAreNoRace) {
  run_blocks("cvt.u64.u32 %d5, %r2;\nadd.u64 %d5, %d5, %d0;\nst.global.u8 [%d5], %r2;");
  EXPECT_THAT(findings(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::emulator
