// Races through global memory, between blocks and between warps of a block, and the ways to order them.
#include <algorithm>
#include <bit>
#include <random>
#include <sstream>

#include "device_fixture.h"
#include "emulator/memory/stamps.h"

namespace lockstep::emulator {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// %r2 block index, %d3 address of word [block] of a, %d4 of word [block ^ 1].
const char* const kNeighbours =
    "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d3, %d3, %d0;\nxor.b32 %r3, %r2, 1;\n"
    "mul.wide.u32 %d4, %r3, 4;\nadd.u64 %d4, %d4, %d0;\n";  // lines 1 to 6

class GlobalRaceTest : public DeviceTest {
 protected:
  explicit GlobalRaceTest(DeviceOptions options = two_workers()) : DeviceTest(options) {}
  void run_blocks(const std::string& body, unsigned blocks = 8, unsigned threads = 1) {
    const DeviceAddress a = upload(std::vector<std::uint32_t>(64, 0), "a");
    const DeviceAddress b = upload(std::vector<std::uint32_t>(64, 0), "flags");
    EXPECT_EQ(run(kNeighbours + body, a, b, 0, {blocks, 1, 1}, {threads, 1, 1}).status,
              LaunchResult::Status::ok);
  }
};

TEST_F(GlobalRaceTest, ReadingWhatAnotherBlockWritesIsARace) {
  run_blocks("st.global.u32 [%d3], %r2;\nld.global.u32 %r4, [%d4];");
  ASSERT_FALSE(seen.findings.empty());
  EXPECT_EQ(seen.findings[0].kind, Finding::Kind::race);
  EXPECT_EQ(seen.findings[0].object.name, "a");
  EXPECT_EQ(seen.findings[0].scope, Finding::Scope::grid);
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
  for (const std::string value : {"9", "0"}) {
    run_blocks("mov.u32 %r5, " + value + ";\nst.global.u32 [%d0], %r5;");
    EXPECT_THAT(findings(), IsEmpty()) << value;
  }
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

// Each block reads what the last holder read and wrote: both of its accesses are ordered before.
TEST_F(GlobalRaceTest, ALockOrdersReadersToo) {
  run_blocks(
      "TAKE: atom.global.cas.b32 %r4, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra TAKE;\nmembar.gl;\n"
      "ld.global.u32 %r5, [%d0];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%d0], %r5;\n"
      "membar.gl;\natom.global.exch.b32 %r4, [%d1], 0;");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, ALockDoesNotOrderAReaderWithoutIt) {
  run_blocks(
      "ld.global.u32 %r6, [%d0];\n"
      "TAKE: atom.global.cas.b32 %r4, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra TAKE;\n"
      "setp.ne.u32 %p2, %r2, 7;\n@%p2 bra DONE;\nst.global.u32 [%d0], %r2;\n"
      "DONE: atom.global.exch.b32 %r4, [%d1], 0;");
  EXPECT_THAT(findings(), Contains("race 13"));
}

TEST_F(GlobalRaceTest, ReleaseAndAcquireOrder) {
  run_blocks(
      "st.global.u32 [%d3], %r2;\nmul.wide.u32 %d5, %r2, 4;\nadd.u64 %d5, %d5, "
      "%d1;\nst.release.gpu.global.u32 [%d5], 1;\n"
      "mul.wide.u32 %d6, %r3, 4;\nadd.u64 %d6, %d6, %d1;\nWAIT: ld.acquire.gpu.global.u32 %r5, [%d6];\n"
      "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra WAIT;\nld.global.u32 %r4, [%d4];");
  EXPECT_THAT(findings(), IsEmpty());
}

// Two workers: the one block releases at any moment of the other's polling.
TEST_F(GlobalRaceTest, WhatAPollHasFoundIsOrderedWheneverItCame) {
  for (const std::string poll :
       {"ld.acquire.gpu.global.u32 %r4, [%d1];", "atom.acquire.gpu.global.add.u32 %r4, [%d1], 0;"}) {
    for (int repeat = 0; repeat < 300; ++repeat) {
      run_blocks(
          "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra WAIT;\nmov.u32 %r5, 0;\n"
          "WORK: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, " +
              std::to_string(20000 + repeat) +
              ";\n@%p2 bra WORK;\n"
              "st.global.u32 [%d0], 7;\nst.release.gpu.global.u32 [%d1], 1;\nbra END;\n"
              "WAIT: " +
              poll + "\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra WAIT;\nld.global.u32 %r6, [%d0];\nEND:",
          2);
      ASSERT_THAT(findings(), IsEmpty()) << poll << ", repeat " << repeat;
    }
  }
}

TEST_F(GlobalRaceTest, TheLastBlockMayReadWhatAllPublished) {
  run_blocks(
      "st.global.u32 [%d3], %r2;\nmembar.gl;\natom.global.add.u32 %r5, [%d1], 1;\nsetp.ne.u32 %p1, %r5, "
      "7;\n@%p1 exit;\n"
      "ld.global.u32 %r4, [%d0];\nld.global.u32 %r4, [%d0+12];");
  EXPECT_THAT(findings(), IsEmpty());
}

// Who has found the counter knows what was released before the counter, and not what is released behind it.
TEST_F(GlobalRaceTest, AFenceBehindTheCounterOrdersNothingForTheLastBlock) {
  run_blocks(
      "st.global.u32 [%d3], %r2;\natom.global.add.u32 %r5, [%d1], 1;\nmembar.gl;\nsetp.ne.u32 %p1, %r5, "
      "7;\n@%p1 exit;\n"
      "ld.global.u32 %r4, [%d0];\nld.global.u32 %r4, [%d0+12];");
  EXPECT_THAT(findings(), Contains(AnyOf("race 12", "race 13")));
}

TEST_F(GlobalRaceTest, AFenceBehindTheFlagOrdersNothingForWhoWaitsForTheFlag) {
  std::string late = kPublish;
  late.erase(late.find("membar.gl;\n"), 11);
  run_blocks(late + "membar.gl;\n" + kAwait);
  EXPECT_THAT(findings(), Contains("race 18"));
}

// One thread of a block fences, and another one counts, behind a barrier.
TEST_F(GlobalRaceTest, AFenceOfOneThreadIsSignalledByAnother) {
  run_blocks(
      "mov.u32 %r6, %tid.x;\nsetp.ne.u32 %p0, %r6, 0;\n@%p0 bra MEET;\nst.global.u32 [%d3], "
      "%r2;\nmembar.gl;\n"
      "MEET: bar.sync 0;\nsetp.ne.u32 %p0, %r6, 32;\n@%p0 exit;\natom.global.add.u32 %r5, [%d1], 1;\n"
      "setp.ne.u32 %p1, %r5, 7;\n@%p1 exit;\nld.global.u32 %r4, [%d0];\nld.global.u32 %r4, [%d0+12];",
      8, 64);
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

TEST_F(GlobalRaceTest, BytesAndShortsOfOneBlockThatAnotherReadsAreARace) {
  for (const std::string type : {"u8", "u16"}) {
    const std::string scale = type == "u8" ? "1" : "2";
    const std::string addresses = "mul.wide.u32 %d5, %r2, " + scale + ";\nadd.u64 %d5, %d5, %d0;\n" +
                                  "mul.wide.u32 %d6, %r3, " + scale + ";\nadd.u64 %d6, %d6, %d0;\n";
    run_blocks(addresses + "add.u32 %r4, %r2, 1;\nst.global." + type + " [%d5], %r4;\nld.global." + type +
               " %r4, [%d6];");
    EXPECT_TRUE(std::any_of(seen.findings.begin(), seen.findings.end(), [](const Finding& finding) {
      return finding.kind == Finding::Kind::race && finding.line.line == 13 && finding.other_line.line == 12;
    })) << type;
    run_blocks(addresses + "ld.global." + type + " %r4, [%d6];\nadd.u32 %r4, %r2, 1;\nst.global." + type +
               " [%d5], %r4;");
    EXPECT_THAT(findings(), Contains("race 13")) << type;
  }
}

// A word and its parts: whoever of the two comes second finds the other.
TEST_F(GlobalRaceTest, PartsOfAWordRaceWithTheWord) {
  const std::string part = "cvt.u64.u32 %d5, %r2;\nadd.u64 %d5, %d5, %d0;\n";
  run_blocks(part +
             "setp.eq.u32 %p1, %r2, 5;\n@%p1 st.global.u8 [%d5], 9;\nsetp.eq.u32 %p2, %r2, 7;\n"
             "@%p2 ld.global.u32 %r4, [%d0+4];");
  EXPECT_THAT(findings(), Contains(AnyOf("race 10", "race 12")));
  run_blocks(part +
             "setp.eq.u32 %p1, %r2, 5;\n@%p1 st.global.u32 [%d0+4], 77;\nsetp.eq.u32 %p2, %r2, 7;\n"
             "@%p2 ld.global.u8 %r4, [%d5];");
  EXPECT_THAT(findings(), Contains(AnyOf("race 10", "race 12")));
  run_blocks(part + "ld.global.u8 %r4, [%d5];\nsetp.eq.u32 %p2, %r2, 7;\n@%p2 st.global.u32 [%d0+4], 78;");
  EXPECT_THAT(findings(), Contains(AnyOf("race 9", "race 11")));
}

/// Two blocks of two workers, which wait for each other before they access a word in the same instant.
class BlocksThatMeet : public DeviceTest {
 protected:
  static constexpr int kMeetings = 300;

  /// Of a warp each, which continue at line 9 with %d3 the address of the lane's word, %d4 of its byte and
  /// %d5 of its word in a line of its own; %p2 in the first block.
  void meet(const std::string& body) {
    const DeviceAddress a = upload(std::vector<std::uint32_t>(1024, 0), "a");
    const DeviceAddress met = upload(std::vector<std::uint32_t>(1, 0), "met");
    const std::string before =
        "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p2, %r2, 0;\nmad.wide.u32 %d3, %r1, 4, %d0;\n"
        "mad.wide.u32 %d4, %r1, 1, %d0;\nmad.wide.u32 %d5, %r1, 128, %d0;\nsetp.eq.u32 %p3, %r1, 0;\n"
        "@%p3 red.global.add.u32 [%d1], 1;\n"
        "MEET: ld.relaxed.gpu.global.u32 %r3, [%d1];\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra MEET;\n";
    EXPECT_EQ(run(before + body, a, met, 0, {2, 1, 1}, {32, 1, 1}).status, LaunchResult::Status::ok);
    device.free(a);
    device.free(met);
  }
};

TEST_F(BlocksThatMeet, AlwaysFindARace) {
  const std::string stores = "@%p2 st.global.", loads = "@!%p2 ld.global.", other_stores = "@!%p2 st.global.";
  const std::vector<std::string> bodies = {
      stores + "u32 [%d3], 7;\n" + loads + "u32 %r4, [%d3];",          // a whole line
      stores + "u32 [%d3+4], 7;\n" + loads + "u32 %r4, [%d3];",        // parts of lines, and a line
      stores + "u32 [%d3], 7;\n" + other_stores + "u32 [%d3+64], 8;",  // a line, and parts of it
      stores + "u32 [%d5], 7;\n" + loads + "u32 %r4, [%d5];",          // scattered words
      stores + "u32 [%d5], 7;\n" + other_stores + "u32 [%d5], 8;",     // likewise
      stores + "u8 [%d4], 7;\n" + loads + "u8 %r4, [%d4];",            // bytes of words
      stores + "u8 [%d0+1], 7;\n" + loads + "u32 %r4, [%d0];",         // a byte and its word
      stores + "u8 [%d0+1], 7;\n" + other_stores + "u32 [%d3], 8;",    // a byte and its line
  };
  for (const std::string& body : bodies) {
    int found = 0;
    for (int meeting = 0; meeting < kMeetings; ++meeting) {
      meet(body);
      found += findings().empty() ? 0 : 1;
    }
    EXPECT_EQ(found, kMeetings) << body;
  }
}

// Again and again within one launch, each time at a place of its own, one of the two a little later than the
// other: of every two accesses one finds the other, and none is lost where both come to a line at once.
TEST_F(BlocksThatMeet, LoseNoRaceInManyMeetings) {
  constexpr unsigned kOften = 5000;
  const DeviceAddress a = upload(std::vector<std::uint32_t>(kOften * 32, 0), "a");
  const auto count_races = [&](const std::string& body, unsigned threads) {
    device.write(a, std::vector<std::byte>(kOften * 128));
    const DeviceAddress met = upload(std::vector<std::uint32_t>(1, 0), "met");
    const std::string text =
        "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p2, %r2, 0;\nsetp.eq.u32 %p3, %r1, 0;\n"
        "mad.wide.u32 %d3, %r1, 4, %d0;\nmov.u32 %r5, 0;\n"
        "NEXT: add.u32 %r5, %r5, 2;\nshl.b32 %r6, %r2, 6;\nxor.b32 %r6, %r6, %r5;\n"
        "and.b32 %r7, %r6, 64;\nand.b32 %r6, %r5, 62;\nsetp.eq.u32 %p4, %r7, 0;\n@%p4 mov.u32 %r6, 0;\n"
        "@%p3 red.global.add.u32 [%d1], 1;\n"
        "MEET: ld.relaxed.gpu.global.u32 %r3, [%d1];\nsetp.lt.u32 %p1, %r3, %r5;\n@%p1 bra MEET;\n"
        "LATER: setp.eq.u32 %p1, %r6, 0;\n@%p1 bra NOW;\nsub.u32 %r6, %r6, 2;\nbra LATER;\n"
        "NOW: " +
        body + "\nadd.u64 %d3, %d3, 128;\nsetp.lt.u32 %p1, %r5, " + std::to_string(2 * kOften) +
        ";\n@%p1 bra NEXT;";
    EXPECT_EQ(run(text, a, met, 0, {2, 1, 1}, {threads, 1, 1}).status, LaunchResult::Status::ok);
    device.free(met);
    std::uint64_t races = 0;
    for (const Finding& finding : seen.findings) races += finding.count;
    return races;
  };
  const std::string load = "@%p2 st.global.u32 [%d3], 7;\n@!%p2 ld.global.u32 %r4, [%d3];";
  const std::string store = "@%p2 st.global.u32 [%d3], 7;\n@!%p2 st.global.u32 [%d3], 8;";
  for (const std::string& body : {load, store}) {
    EXPECT_EQ(count_races(body, 1), kOften) << body;        // words
    EXPECT_EQ(count_races(body, 32), 32 * kOften) << body;  // whole lines
  }
}

TEST_F(BlocksThatMeet, AreNotAccusedWhereTheyKeepApartOrWriteTheSame) {
  const std::vector<std::string> bodies = {
      "st.global.u32 [%d3], 7;",
      "st.global.u32 [%d3+64], 7;",
      "st.global.u32 [%d5], 7;",
      "st.global.u8 [%d4], 7;",
      "ld.global.u32 %r4, [%d3];\nld.global.u32 %r4, [%d5];\nld.global.u8 %r4, [%d4];",
      "@%p2 st.global.u32 [%d5], %r1;\n@!%p2 st.global.u32 [%d5+4], %r1;\n@%p2 ld.global.u32 %r4, [%d5];",
      "@%p2 st.global.u16 [%d5], 7;\n@!%p2 st.global.u8 [%d5+2], 8;\n@!%p2 ld.global.u8 %r4, [%d5+2];",
  };
  for (const std::string& body : bodies) {
    for (int meeting = 0; meeting < kMeetings; ++meeting) {
      meet(body);
      ASSERT_THAT(findings(), IsEmpty()) << body << ", meeting " << meeting;
    }
  }
}

TEST_F(GlobalRaceTest, ABlockDoesNotRaceWithItselfAcrossItsFences) {
  run_blocks(
      "ld.global.u32 %r4, [%d3];\nmembar.gl;\nst.volatile.global.u32 [%d1], 1;\nld.global.u32 %r4, [%d3];\n"
      "st.global.u32 [%d3], %r2;\nmembar.gl;\nst.volatile.global.u32 [%d1], 1;\nst.global.u32 [%d3], %r4;");
  EXPECT_THAT(findings(), IsEmpty());
}

/// %d3: address of the thread's word of a, %d4: of the word of its mirror image, in another warp.
const char* const kMirrored =
    "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d3, %d0;\nxor.b32 %r3, %r1, 63;\n"
    "mul.wide.u32 %d4, %r3, 4;\nadd.u64 %d4, %d4, %d0;\n";  // lines 1 to 5

class WarpsOfABlock : public DeviceTest {
 protected:
  void run_block(const std::string& body, unsigned threads = 64) {
    const DeviceAddress a = upload(std::vector<std::uint32_t>(256, 0), "a");
    const DeviceAddress b = upload(std::vector<std::uint32_t>(64, 0), "flags");
    EXPECT_EQ(run(kMirrored + body, a, b, 0, {1, 1, 1}, {threads, 1, 1}).status, LaunchResult::Status::ok);
  }
  /// The finding at a line; one of nothing where there is none.
  Finding finding_of(unsigned line) const {
    const auto found = std::ranges::find(seen.findings, line, [](const Finding& f) { return f.line.line; });
    return found == seen.findings.end() ? Finding{} : *found;
  }
  unsigned earlier_of(unsigned line) const { return finding_of(line).other_line.line; }
  /// Expects that the finding at a line says who did what before it.
  void expect_earlier(unsigned line, Finding::Access access, Finding::Other other,
                      std::uint32_t number) const {
    const Finding finding = finding_of(line);
    EXPECT_EQ(finding.cause, Finding::Cause::unordered_accesses);
    EXPECT_EQ(finding.other_access, access);
    EXPECT_EQ(finding.other, other);
    EXPECT_EQ(finding.other_number, number);
  }
};

TEST_F(WarpsOfABlock, ReadingWhatAnotherWarpWroteIsARace) {
  run_block("st.global.u32 [%d3], 5;\nld.global.u32 %r4, [%d4];");
  EXPECT_EQ(earlier_of(7), 6U);
  expect_earlier(7, Finding::Access::write, Finding::Other::warp, 0);
  EXPECT_EQ(finding_of(7).object.name, "a");
  EXPECT_EQ(finding_of(7).scope, Finding::Scope::block);
}

TEST_F(WarpsOfABlock, WritingWhatAnotherWarpReadIsARace) {
  run_block("ld.global.u32 %r4, [%d4];\nst.global.u32 [%d3], 5;");
  EXPECT_EQ(earlier_of(7), 6U);
  expect_earlier(7, Finding::Access::read, Finding::Other::warp, 0);
}

TEST_F(WarpsOfABlock, WritingWhatAnotherWarpWroteIsARaceUnlessItIsTheSame) {
  run_block("st.global.u32 [%d3], %r1;\nst.global.u32 [%d4], %r1;");
  EXPECT_THAT(findings(), Contains("race 7"));
  run_block("st.global.u32 [%d3], 5;\nst.global.u32 [%d4], 5;");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(WarpsOfABlock, AnAtomicRacesWithAnotherWarpsPlainWrite) {
  run_block("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d0], 0;\nred.global.add.u32 [%d0], 1;");
  EXPECT_THAT(findings(), Contains("race 8"));
  run_block(
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d0], 0;\nbar.sync 0;\nred.global.add.u32 [%d0], 1;");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(WarpsOfABlock, BarriersOrder) {
  run_block(
      "ld.global.u32 %r4, [%d4];\nbar.sync 0;\nst.global.u32 [%d3], 5;\nbar.sync 0;\n"
      "ld.global.u32 %r4, [%d4];\nbar.sync 0;\nst.global.u32 [%d3], 6;");
  EXPECT_THAT(findings(), IsEmpty());
}

// The first warp reads last: its read must not hide the second one's.
TEST_F(WarpsOfABlock, OneOfSeveralReadersIsEnough) {
  run_block(
      "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra SECOND;\nld.global.u32 %r4, [%d0];\n"
      "WAIT: ld.volatile.global.u32 %r5, [%d1];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\n"
      "ld.global.u32 %r4, [%d0];\nst.global.u32 [%d0], 5;\nbra END;\n"
      "SECOND: ld.global.u32 %r4, [%d0];\nst.volatile.global.u32 [%d1], 1;\nEND:");
  EXPECT_THAT(findings(), Contains("race 13"));
  expect_earlier(13, Finding::Access::read, Finding::Other::another_warp, 0);
}

TEST_F(WarpsOfABlock, OwnWordsAndReadsOfAllAreNoRace) {
  run_block(
      "ld.global.u32 %r4, [%d3];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%d3], %r4;\nld.global.u32 %r4, "
      "[%d3];\n"
      "ld.global.u32 %r5, [%d1];\nld.global.u32 %r5, [%d1];",
      128);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(WarpsOfABlock, FencesAndAFlagOrder) {
  const std::string hand_over =
      "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra WAIT;\nst.global.u32 [%d3], 5;\nmembar.gl;\n"
      "st.volatile.global.u32 [%d1], 1;\nbra END;\n"
      "WAIT: ld.volatile.global.u32 %r5, [%d1];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\nmembar.gl;\n"
      "ld.global.u32 %r4, [%d4];\nEND:";
  run_block(hand_over);
  EXPECT_THAT(findings(), IsEmpty());
  std::string without = hand_over;
  without.replace(without.find("membar.gl;"), 10, "");
  run_block(without);
  EXPECT_THAT(findings(), Contains("race 16"));
}

// One thread of each warp adds one with a lock: who holds it reads what another warp has read and written.
TEST_F(WarpsOfABlock, ALockOrdersReadersToo) {
  run_block(
      "and.b32 %r3, %r1, 31;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\n"
      "TAKE: atom.global.cas.b32 %r4, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra TAKE;\nmembar.gl;\n"
      "ld.global.u32 %r5, [%d0];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%d0], %r5;\n"
      "membar.gl;\natom.global.exch.b32 %r4, [%d1], 0;\nEND:",
      256);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(WarpsOfABlock, BytesOfOneWordAreApart) {
  const std::string byte = "cvt.u64.u32 %d5, %r1;\nadd.u64 %d5, %d5, %d0;\n";
  run_block(byte + "st.global.u8 [%d5], %r1;\nld.global.u8 %r4, [%d5];");
  EXPECT_THAT(findings(), IsEmpty());
  // Warps that take every other byte.
  run_block(
      "shl.b32 %r5, %r1, 1;\nand.b32 %r5, %r5, 63;\nshr.u32 %r6, %r1, 5;\nadd.u32 %r5, %r5, %r6;\n"
      "cvt.u64.u32 %d5, %r5;\nadd.u64 %d5, %d5, %d0;\nst.global.u8 [%d5], %r1;\nld.global.u8 %r4, [%d5];");
  EXPECT_THAT(findings(), IsEmpty());
  run_block(
      "shl.b32 %r5, %r1, 1;\nand.b32 %r5, %r5, 63;\ncvt.u64.u32 %d5, %r5;\nadd.u64 %d5, %d5, %d0;\n"
      "st.global.u8 [%d5], %r1;");
  EXPECT_THAT(findings(), Contains("race 10"));
}

/// One warp: %d3 is the address of the lane's word of a, %d4 of its neighbour's.
class LanesOfAWarp : public WarpsOfABlock {
 protected:
  void run_warp(const std::string& body, unsigned threads = 32) {
    run_block("xor.b32 %r3, %r1, 1;\nmul.wide.u32 %d4, %r3, 4;\nadd.u64 %d4, %d4, %d0;\n" + body, threads);
  }
};

TEST_F(LanesOfAWarp, ReadingWhatAnotherWroteIsARace) {
  run_warp("st.global.u32 [%d3], 5;\nld.global.u32 %r4, [%d4];");
  EXPECT_EQ(earlier_of(10), 9U);
  expect_earlier(10, Finding::Access::write, Finding::Other::thread, 1);
  EXPECT_EQ(finding_of(10).address - finding_of(10).object.begin, 4U);
  EXPECT_EQ(finding_of(10).scope, Finding::Scope::warp);
}

TEST_F(LanesOfAWarp, WritingWhatAnotherReadIsARace) {
  run_warp("ld.global.u32 %r4, [%d4];\nst.global.u32 [%d3], 5;");
  expect_earlier(10, Finding::Access::read, Finding::Other::thread, 1);
  EXPECT_EQ(earlier_of(10), 9U);
  run_warp("ld.global.u32 %r4, [%d0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d0], 5;");
  expect_earlier(11, Finding::Access::read, Finding::Other::threads_of_warp, 0);
  EXPECT_EQ(earlier_of(11), 9U);
}

TEST_F(LanesOfAWarp, WhatOneStoresAllMayNotReadAtOnce) {
  const std::string store = "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d0], 5;\n";
  run_warp(store + "ld.global.u32 %r4, [%d0];");
  EXPECT_THAT(findings(), ElementsAre("race 11"));
  run_warp(store + "@%p1 ld.global.u32 %r4, [%d0];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(LanesOfAWarp, OneStoreOfSeveralValuesToOneWordIsARace) {
  run_warp("st.global.u32 [%d0], %r1;");
  EXPECT_THAT(findings(), ElementsAre("race 9"));
  run_warp("st.global.u32 [%d0], 5;\nst.global.u32 [%d0], 5;");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(LanesOfAWarp, BranchesOrderNothing) {
  run_warp(
      "setp.gt.u32 %p1, %r1, 15;\n@%p1 bra SECOND;\nst.global.u32 [%d3], 5;\nbra END;\n"
      "SECOND: ld.global.u32 %r4, [%d3+-64];\nEND:");
  EXPECT_THAT(findings(), Contains(AnyOf("race 11", "race 13")));
}

TEST_F(LanesOfAWarp, MeetingsOrder) {
  for (const std::string meeting :
       {"bar.warp.sync 0xffffffff;", "bar.sync 0;", "shfl.sync.idx.b32 %r5, %r1, 0, 31, 0xffffffff;"}) {
    run_warp("ld.global.u32 %r4, [%d4];\n" + meeting + "\nst.global.u32 [%d3], 5;\n" + meeting +
             "\nld.global.u32 %r4, [%d4];");
    EXPECT_THAT(findings(), IsEmpty()) << meeting;
  }
}

TEST_F(LanesOfAWarp, AFenceAndAnAtomicOrder) {
  const std::string hand_over =
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d0], 5;\nmembar.gl;\n"
      "red.global.add.u32 [%d1], 1;\nld.global.u32 %r4, [%d0];";
  run_warp(hand_over);
  EXPECT_THAT(findings(), IsEmpty());
  std::string without = hand_over;
  without.replace(without.find("membar.gl;"), 10, "");
  run_warp(without);
  EXPECT_THAT(findings(), Contains("race 13"));
}

TEST_F(LanesOfAWarp, AnAtomicRacesWithAnothersPlainWrite) {
  run_warp("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d0], 0;\nred.global.add.u32 [%d0], 1;");
  EXPECT_THAT(findings(), ElementsAre("race 11"));
}

// Widths differ, lanes do not.
TEST_F(LanesOfAWarp, OwnElementsAreNoRaceHoweverTheyAreAccessed) {
  const std::string own = "mad.wide.u32 %d5, %r1, 16, %d0;\n";
  const std::string vector = "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d5];\n",
                    word = "ld.global.u32 %r4, [%d5+4];\n", byte = "ld.global.u8 %r4, [%d5+5];\n",
                    vector_store = "st.global.v4.u32 [%d5], {%r1, %r1, %r1, %r1};\n",
                    word_store = "st.global.u32 [%d5+4], 7;\n", byte_store = "st.global.u8 [%d5+5], 8;\n";
  const std::vector<std::string> accesses = {vector, word, byte, vector_store, word_store, byte_store};
  for (const std::string& first : accesses) {
    for (const std::string& second : accesses) {
      for (const std::string& third : accesses) {
        run_warp(own + first + second + third);
        ASSERT_THAT(findings(), IsEmpty()) << first << second << third;
      }
    }
  }
}

// Longer than moments can tell times apart.
TEST_F(LanesOfAWarp, RacesAreFoundHoweverLongABlockHasRun) {
  const std::string rounds =
      "mov.u32 %r5, 0;\nLOOP: bar.warp.sync 0xffffffff;\nadd.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %p1, %r5, " +
      std::to_string(memory::kMomentTimes + 10) + ";\n@%p1 bra LOOP;\n";
  run_warp("st.global.u32 [%d3], 5;\n" + rounds + "ld.global.u32 %r4, [%d4];");
  EXPECT_THAT(findings(), IsEmpty());
  run_warp("st.global.u32 [%d3], 5;\n" + rounds + "st.global.u32 [%d3], 6;\nld.global.u32 %r4, [%d4];");
  EXPECT_THAT(findings(), ElementsAre("race 16"));
}

/// Who a drawn access is of: one of two blocks, one of two warps of a block, or each lane of one warp.
enum class Actors { blocks, warps, lanes };

/// Accesses of whole lines of memory, of parts of lines, of scattered words and of parts of words, drawn at
/// random for each of two actors, against the rule itself: two actors, one byte, one of them stores.
class RandomAccesses : public DeviceTest, public ::testing::WithParamInterface<Actors> {
 protected:
  static constexpr unsigned kBytes = 2048, kActors = 2, kLanes = 32;

  /// Lane l ^ turned accesses `bytes` bytes at first_byte + l × stride.
  struct Access {
    unsigned actor = 0, first_byte = 0, stride = 0, bytes = 0, turned = 0;
    bool is_store = false;
  };

  Access draw() {
    const auto below = [this](unsigned n) { return static_cast<unsigned>(random_() % n); };
    constexpr unsigned kWidths[] = {1, 2, 4, 4, 4, 16};
    Access access;
    access.actor = below(kActors);
    access.bytes = kWidths[below(6)];
    access.stride = access.bytes * (1 + (below(3) == 0 ? below(3) : 0));
    const unsigned last = kBytes - access.stride * (kLanes - 1) - access.bytes;
    const unsigned unit = below(2) == 0 ? 128 : access.bytes;
    access.first_byte = below(last / unit + 1) * unit;
    access.is_store = below(3) == 0;
    constexpr unsigned kTurned[] = {0, 0, 0, 0, 1, 16};
    access.turned = kTurned[below(6)];
    return access;
  }

  static std::string text_of(const Access& access, std::size_t number) {
    std::ostringstream text;
    if (GetParam() == Actors::lanes) {
      text << "and.b32 %r3, %r1, 31;\n";
    } else {
      text << "bar.warp.sync 0xffffffff;\nsetp.ne.u32 %p1, %r2, " << access.actor << ";\n@%p1 bra SKIP"
           << number << ";\nand.b32 %r3, %r1, 31;\n";
    }
    text << "xor.b32 %r3, %r3, " << access.turned << ";\nmad.lo.u32 %r3, %r3, " << access.stride << ", "
         << access.first_byte << ";\ncvt.u64.u32 %d3, %r3;\nadd.u64 %d3, %d3, %d0;\n";
    const bool is_vector = access.bytes == 16;
    const std::string type = is_vector           ? ".v4.u32"
                             : access.bytes == 4 ? ".u32"
                             : access.bytes == 2 ? ".u16"
                                                 : ".u8";
    const char* const loaded = is_vector ? "{%r4, %r5, %r6, %r7}" : "%r4";
    const char* const stored = is_vector ? "{%r8, %r8, %r8, %r8}" : "%r8";
    // A value of which every byte is another than that of the stores before, so that none is harmless.
    if (access.is_store) {
      values_ = values_ % 250 + 1;
      text << "mov.u32 %r8, " << values_ * 0x0101'0101 << ";\nst.global" << type << " [%d3], " << stored
           << ";\n";
    } else {
      text << "ld.global" << type << " " << loaded << ", [%d3];\n";
    }
    text << "SKIP" << number << ":\n";
    return text.str();
  }

  static bool races(const std::vector<Access>& accesses) {
    std::vector<std::uint32_t> readers(kBytes), writers(kBytes);
    for (const Access& access : accesses) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned k = 0; k < access.bytes; ++k) {
          const unsigned byte = access.first_byte + lane * access.stride + k;
          const unsigned actor = GetParam() == Actors::lanes ? lane ^ access.turned : access.actor;
          (access.is_store ? writers : readers)[byte] |= 1U << actor;
        }
      }
    }
    for (unsigned byte = 0; byte < kBytes; ++byte) {
      const std::uint32_t any = readers[byte] | writers[byte];
      if (writers[byte] != 0 && std::popcount(any) > 1) return true;
    }
    return false;
  }

 private:
  std::mt19937 random_{20261121};
  static inline std::uint32_t values_ = 0;
};

TEST_P(RandomAccesses, RaceJustWhereTwoMeet) {
  constexpr int kLaunches = 4000;
  const bool warps = GetParam() == Actors::warps, blocks = GetParam() == Actors::blocks;
  const Dim3 grid{blocks ? kActors : 1, 1, 1}, block{warps ? kActors * kLanes : kLanes, 1, 1};
  const DeviceAddress bytes = upload(std::vector<std::uint8_t>(kBytes, 0));
  int racy = 0;
  for (int launch = 0; launch < kLaunches; ++launch) {
    std::vector<Access> accesses(2 + static_cast<std::size_t>(launch) % 4);
    std::string body = warps ? "shr.u32 %r2, %r1, 5;\n" : "mov.u32 %r2, %ctaid.x;\n";
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      accesses[k] = draw();
      body += text_of(accesses[k], k);
    }
    device.write(bytes, std::vector<std::byte>(kBytes));  // no store finds its own value there
    EXPECT_EQ(run(body, bytes, 0, 0, grid, block).status, LaunchResult::Status::ok);
    EXPECT_EQ(!seen.findings.empty(), races(accesses)) << body;
    racy += races(accesses) ? 1 : 0;
  }
  EXPECT_GT(racy, kLaunches / 8);
  EXPECT_LT(racy, kLaunches * 7 / 8);
}

INSTANTIATE_TEST_SUITE_P(Global, RandomAccesses,
                         ::testing::Values(Actors::blocks, Actors::warps, Actors::lanes),
                         [](const auto& instance) {
                           return instance.param == Actors::blocks  ? "BetweenBlocks"
                                  : instance.param == Actors::warps ? "BetweenWarps"
                                                                    : "BetweenLanes";
                         });

TEST(StampBook, FindsWhatAStampStandsFor) {
  memory::StampBook book(100, 3);
  EXPECT_EQ(book.begin_epoch(7, 1), 100);
  const memory::Stamp second = book.begin_epoch(9, 2);
  EXPECT_EQ(second, 106);
  const auto own = book.find(second + 2);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->block, 9);
  EXPECT_EQ(own->time, 2);
  EXPECT_EQ(own->instruction, 2);
  const auto shared = book.find(second + 3 + 1);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->block, memory::kManyBlocks);
  EXPECT_EQ(shared->instruction, 1);
  EXPECT_FALSE(book.find(99));
  EXPECT_FALSE(book.find(book.end()));
}

TEST(StampBook, StandsForNothingWhenUsedUp) {
  memory::StampBook book(memory::kSplitLine - 20, 3);
  const memory::Stamp first = book.begin_epoch(1, 1), last = book.begin_epoch(2, 1);
  EXPECT_LT(first + 6, last + 1);
  const memory::Stamp nothing = book.begin_epoch(3, 1);
  EXPECT_EQ(book.begin_epoch(4, 1), nothing);
  EXPECT_FALSE(book.find(nothing));
  EXPECT_LE(nothing + 6, memory::kSplitLine);
}

}  // namespace
}  // namespace lockstep::emulator
