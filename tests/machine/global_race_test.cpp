// Races between blocks through global memory, and the ways to order them.
#include <bit>
#include <random>
#include <sstream>

#include "device_fixture.h"
#include "emulator/machine/stamps.h"

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

TEST_F(GlobalRaceTest, LaunchesAreOrdered) {
  run_blocks("st.global.u32 [%d3], %r2;");
  run_blocks("ld.global.u32 %r4, [%d4];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, NarrowStoresToNeighbouringBytesAreNoRace) {
  run_blocks("cvt.u64.u32 %d5, %r2;\nadd.u64 %d5, %d5, %d0;\nst.global.u8 [%d5], %r2;");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(GlobalRaceTest, ABlockDoesNotRaceWithItselfAcrossItsFences) {
  run_blocks(
      "ld.global.u32 %r4, [%d3];\nmembar.gl;\nst.volatile.global.u32 [%d1], 1;\nld.global.u32 %r4, [%d3];\n"
      "st.global.u32 [%d3], %r2;\nmembar.gl;\nst.volatile.global.u32 [%d1], 1;\nst.global.u32 [%d3], %r4;");
  EXPECT_THAT(findings(), IsEmpty());
}

/// Accesses of whole lines of memory, of parts of lines and of scattered words, drawn at random for each of
/// two blocks, against the rule itself: two blocks, one word, one of them stores.
class RandomAccesses : public DeviceTest {
 protected:
  RandomAccesses() : DeviceTest(one_worker()) {}

  /// Two workers may touch a word in the same instant and miss each other.
  static DeviceOptions one_worker() {
    DeviceOptions options;
    options.workers = 1;
    return options;
  }

  static constexpr unsigned kWords = 512, kBlocks = 2, kLanes = 32;

  struct Access {
    unsigned block = 0, first_word = 0, stride = 0, words = 0;
    bool is_store = false;
  };

  Access draw() {
    const auto below = [this](unsigned n) { return static_cast<unsigned>(random_() % n); };
    Access access;
    access.block = below(kBlocks);
    access.words = below(4) == 0 ? 4 : 1;
    access.stride = access.words * (1 + (below(3) == 0 ? below(3) : 0));
    const unsigned last = kWords - access.stride * (kLanes - 1) - access.words;
    const unsigned unit = below(2) == 0 ? 32 : access.words;
    access.first_word = below(last / unit + 1) * unit;
    access.is_store = below(3) == 0;
    return access;
  }

  static std::string text_of(const Access& access, std::size_t number) {
    std::ostringstream text;
    text << "setp.ne.u32 %p1, %r2, " << access.block << ";\n@%p1 bra SKIP" << number << ";\n"
         << "mad.lo.u32 %r3, %r1, " << 4 * access.stride << ", " << 4 * access.first_word << ";\n"
         << "cvt.u64.u32 %d3, %r3;\nadd.u64 %d3, %d3, %d0;\n";
    const char* const vector = access.words == 4 ? ".v4" : "";
    const char* const loaded = access.words == 4 ? "{%r4, %r5, %r6, %r7}" : "%r4";
    const char* const stored = access.words == 4 ? "{%r8, %r8, %r8, %r8}" : "%r8";
    // A value that no other store has, so that none of them is harmless.
    if (access.is_store) {
      text << "mov.u32 %r8, " << ++values_ << ";\nst.global" << vector << ".u32 [%d3], " << stored << ";\n";
    } else {
      text << "ld.global" << vector << ".u32 " << loaded << ", [%d3];\n";
    }
    text << "SKIP" << number << ":\n";
    return text.str();
  }

  static bool races(const std::vector<Access>& accesses) {
    std::vector<std::uint32_t> readers(kWords), writers(kWords);
    for (const Access& access : accesses) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned k = 0; k < access.words; ++k) {
          const unsigned word = access.first_word + lane * access.stride + k;
          (access.is_store ? writers : readers)[word] |= 1U << access.block;
        }
      }
    }
    for (unsigned word = 0; word < kWords; ++word) {
      const std::uint32_t any = readers[word] | writers[word];
      if (writers[word] != 0 && std::popcount(any) > 1) return true;
    }
    return false;
  }

 private:
  std::mt19937 random_{20261121};
  static inline std::uint32_t values_ = 0;
};

TEST_F(RandomAccesses, RaceJustWhereTwoBlocksMeet) {
  constexpr int kLaunches = 4000;
  const DeviceAddress words = upload(std::vector<std::uint32_t>(kWords, 0));
  int racy = 0;
  for (int launch = 0; launch < kLaunches; ++launch) {
    std::vector<Access> accesses(2 + static_cast<std::size_t>(launch) % 4);
    std::string body = "mov.u32 %r2, %ctaid.x;\n";
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      accesses[k] = draw();
      body += text_of(accesses[k], k);
    }
    EXPECT_EQ(run(body, words, 0, 0, {kBlocks, 1, 1}, {kLanes, 1, 1}).status, LaunchResult::Status::ok);
    EXPECT_EQ(!seen.findings.empty(), races(accesses)) << body;
    racy += races(accesses) ? 1 : 0;
  }
  EXPECT_GT(racy, kLaunches / 8);
  EXPECT_LT(racy, kLaunches / 2);
}

TEST(StampBook, FindsWhatAStampStandsFor) {
  StampBook book(100, 3);
  EXPECT_EQ(book.begin_turn(7, 1), 100);
  const Stamp second = book.begin_turn(9, 2);
  EXPECT_EQ(second, 106);
  const auto own = book.find(second + 2);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->block, 9);
  EXPECT_EQ(own->time, 2);
  EXPECT_EQ(own->instruction, 2);
  const auto shared = book.find(second + 3 + 1);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->block, kManyBlocks);
  EXPECT_EQ(shared->instruction, 1);
  EXPECT_FALSE(book.find(99));
  EXPECT_FALSE(book.find(book.end()));
}

TEST(StampBook, StandsForNothingWhenUsedUp) {
  StampBook book(kSplitLine - 20, 3);
  const Stamp first = book.begin_turn(1, 1), last = book.begin_turn(2, 1);
  EXPECT_LT(first + 6, last + 1);
  const Stamp nothing = book.begin_turn(3, 1);
  EXPECT_EQ(book.begin_turn(4, 1), nothing);
  EXPECT_FALSE(book.find(nothing));
  EXPECT_LE(nothing + 6, kSplitLine);
}

}  // namespace
}  // namespace lockstep::emulator
