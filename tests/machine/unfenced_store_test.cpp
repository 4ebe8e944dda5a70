// Relaxed and volatile stores that no fence follows: the first look of another block misses them.
#include <algorithm>
#include <utility>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Words = std::vector<std::uint32_t>;

constexpr unsigned kWords = 64, kFlagWord = 63;

class UnfencedStoreTest : public DeviceTest {
 protected:
  UnfencedStoreTest() { words_ = upload(Words(kWords, 0), "words"); }

  /// Block 0 stores, in lines from 4 on, and block 1 reads, from line 21 on; what it keeps in %r10 and %r11
  /// (%d10 and %d11) comes back. %d0 is the address of 64 words, of which the last is the flag.
  Words exchange(std::string stores, const std::string& reads, unsigned threads = 1) {
    const DeviceAddress out = upload(Words(4 * threads, 0), "out");
    for (auto lines = std::count(stores.begin(), stores.end(), '\n'); lines < 16; ++lines) stores += '\n';
    EXPECT_EQ(run("mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra READ;\n" + stores +
                      "bra END;\nREAD:" + reads +
                      "\nmul.wide.u32 %d20, %r1, 16;\nadd.u64 %d20, %d20, %d1;\n"
                      "st.global.v2.u32 [%d20], {%r10, %r11};\nEND:",
                  words_, out, 0, {2, 1, 1}, {threads, 1, 1})
                  .status,
              LaunchResult::Status::ok);
    return download<std::uint32_t>(out, 4 * threads);
  }
  /// What block 1 reads of word 0 once it has seen the flag and passed a fence.
  std::uint32_t handed_over(const std::string& stores, const std::string& load = "ld.volatile.global.u32") {
    return exchange(stores, kAwait + "membar.gl; " + load + " %r10, [%d0];")[0];
  }

  static inline const std::string kAwait =
      "\nWAIT: ld.volatile.global.u32 %r3, [%d0+252];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\n";
  DeviceAddress words_ = 0;
};

const std::string kValue = "st.volatile.global.u32 [%d0], 7;\n";
const std::string kTell = "st.volatile.global.u32 [%d0+252], 1;\n";

TEST_F(UnfencedStoreTest, AValueWithNoFenceBeforeItsFlagIsMissed) {
  EXPECT_EQ(handed_over(kValue + kTell), 0U);
  ASSERT_THAT(findings(), ElementsAre("stale-read 25"));
  EXPECT_EQ(seen.findings[0].other_line.line, 4U);
  EXPECT_EQ(seen.findings[0].count, 1U);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::unfenced_store);
  EXPECT_EQ(seen.findings[0].width, 4U);
  EXPECT_EQ(seen.findings[0].object.name, "words");
  EXPECT_EQ(seen.findings[0].address, seen.findings[0].object.begin);
  EXPECT_THAT(seen.findings[0].numbers, ElementsAre(0)) << "the block that stored";
}

TEST_F(UnfencedStoreTest, EveryKindOfRelaxedAccessMisses) {
  for (const std::string store : {"st.relaxed.gpu.global.u32", "st.volatile.u32"}) {
    words_ = upload(Words(kWords, 0));
    EXPECT_EQ(handed_over(store + " [%d0], 7;\n" + kTell), 0U) << store;
  }
  for (const std::string load :
       {"ld.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32", "ld.volatile.u32"}) {
    words_ = upload(Words(kWords, 0));
    EXPECT_EQ(handed_over(kValue + kTell, load), 0U) << load;
  }
  words_ = upload(Words(kWords, 0));
  EXPECT_EQ(handed_over(kValue + "atom.global.exch.b32 %r4, [%d0+252], 1;\n"), 0U);
}

TEST_F(UnfencedStoreTest, WhateverOrdersTheStoresMakesTheValueSeen) {
  for (const std::string& stores :
       {kValue + "membar.gl;\n" + kTell, kValue + "fence.acq_rel.gpu;\n" + kTell,
        kValue + "fence.sc.sys;\n" + kTell, kValue + "st.release.gpu.global.u32 [%d0+252], 1;\n",
        kValue + "atom.release.gpu.global.exch.b32 %r4, [%d0+252], 1;\n",
        kValue + "red.release.gpu.global.add.u32 [%d0+252], 1;\n",
        "st.global.u32 [%d0], 7;\nmembar.gl;\n" + kTell}) {
    words_ = upload(Words(kWords, 0));
    EXPECT_EQ(handed_over(stores), 7U) << stores;
    EXPECT_THAT(findings(), IsEmpty()) << stores;
  }
}

TEST_F(UnfencedStoreTest, AReaderWithNoFenceMissesWhatWasFenced) {
  const std::string stores = kValue + "membar.gl;\n" + kTell;
  const auto found = [&](const std::string& reads) {
    words_ = upload(Words(kWords, 0), "words");
    return exchange(stores, reads)[0];
  };
  EXPECT_EQ(found(kAwait + "ld.volatile.global.u32 %r10, [%d0];"), 0U);
  ASSERT_THAT(findings(), ElementsAre("stale-read 25"));
  EXPECT_EQ(seen.findings[0].other_line.line, 4U);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::unfenced_reader);
  std::string acquiring = kAwait;
  acquiring.replace(acquiring.find("volatile"), 8, "acquire.gpu");
  for (const std::string& reads : {kAwait + "membar.gl; ld.volatile.global.u32 %r10, [%d0];",
                                   kAwait + "fence.acq_rel.gpu; ld.relaxed.gpu.global.u32 %r10, [%d0];",
                                   acquiring + "ld.volatile.global.u32 %r10, [%d0];"}) {
    EXPECT_EQ(found(reads), 7U) << reads;
    EXPECT_THAT(findings(), IsEmpty()) << reads;
  }
}

TEST_F(UnfencedStoreTest, AReaderWithNoFenceRacesWithPlainStores) {
  const std::string stores = "st.global.u32 [%d0], 7;\nmembar.gl;\n" + kTell;
  exchange(stores, kAwait + "ld.global.u32 %r10, [%d0];");
  EXPECT_THAT(findings(), ElementsAre("race 25"));
  words_ = upload(Words(kWords, 0));
  exchange(stores, kAwait + "membar.gl; ld.global.u32 %r10, [%d0];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UnfencedStoreTest, AFlagStoredFirstComesTooEarly) {
  EXPECT_EQ(handed_over(kTell + kValue), 0U);
  EXPECT_THAT(findings(), ElementsAre("stale-read 25"));
  words_ = upload(Words(kWords, 0));
  EXPECT_EQ(handed_over(kTell + "membar.gl;\n" + kValue), 0U);
  EXPECT_THAT(findings(), IsEmpty())
      << "behind a fence the value looks like a word that nothing else announces";
}

TEST_F(UnfencedStoreTest, TheSecondLookSees) {
  EXPECT_THAT(exchange(kValue + kTell, kAwait + "ld.volatile.global.u32 %r10, [%d0];\n"
                                                "ld.volatile.global.u32 %r11, [%d0];"),
              ElementsAre(0, 7, 0, 0));
}

// Of the stores of one block the first look misses all, also where it stores again and again.
TEST_F(UnfencedStoreTest, TheOldestValueIsFoundThenTheNewest) {
  const std::string again = "st.volatile.global.u32 [%d0], 8;\nst.volatile.global.u32 [%d0], 9;\n";
  EXPECT_THAT(exchange(kValue + again + kTell, kAwait + "ld.volatile.global.u32 %r10, [%d0];\n"
                                                        "ld.volatile.global.u32 %r11, [%d0];"),
              ElementsAre(0, 9, 0, 0));
  words_ = upload(Words(kWords, 0));
  EXPECT_EQ(handed_over(kValue + "membar.gl;\n" + again + kTell), 7U);
}

TEST_F(UnfencedStoreTest, ABlockSeesItsOwnStores) {
  const DeviceAddress out = upload(Words(2, 1));
  run("mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d4, %d3, %d0;\nadd.u64 %d5, %d3, %d1;\n"
      "st.volatile.global.u32 [%d4], 7;\nld.volatile.global.u32 %r3, [%d4];\nst.global.u32 [%d5], %r3;",
      words_, out, 0, {2, 1, 1}, {1, 1, 1});
  EXPECT_THAT(download<std::uint32_t>(out, 2), Each(7));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UnfencedStoreTest, AnAtomicSeesAndThenSoDoesALoad) {
  for (const std::string atomic :
       {"atom.global.add.u32 %r10, [%d0], 1;", "atom.global.cas.b32 %r10, [%d0], 0, 8;"}) {
    words_ = upload(Words(kWords, 0));
    const Words found = exchange(kValue + kTell, kAwait + atomic + "\nld.volatile.global.u32 %r11, [%d0];");
    EXPECT_EQ(found[0], 7U) << atomic;
    EXPECT_EQ(found[1], atomic.find("add") != std::string::npos ? 8U : 7U) << atomic;
  }
}

// As memory that one block gives back and another takes: the owner sees what it has stored plainly.
TEST_F(UnfencedStoreTest, WhatWasStoredSinceIsSeen) {
  EXPECT_EQ(
      exchange(kValue + kTell, kAwait + "st.global.u32 [%d0], 8;\nld.volatile.global.u32 %r10, [%d0];")[0],
      8U);
}

TEST_F(UnfencedStoreTest, AFenceBehindABarrierIsTheWholeBlocks) {
  // Each of 64 threads stores its word; thread 0 fences for all and signals. Each thread of block 1 polls.
  const std::string stores =
      "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d3, %d0;\nsetp.lt.u32 %p2, %r1, 63;\n"
      "@%p2 st.volatile.global.u32 [%d3], 7;\nbar.sync 0;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n"
      "membar.gl;\n" +
      kTell;
  const Words found = exchange(stores,
                               kAwait +
                                   "membar.gl;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d3, "
                                   "%d0;\nld.volatile.global.u32 %r10, [%d3];",
                               64);
  for (unsigned thread = 0; thread < 63; ++thread) EXPECT_EQ(found[4 * thread], 7U) << thread;
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UnfencedStoreTest, LanesThatLookAtOneWordFindTheSame) {
  const Words found = exchange(kValue + kTell,
                               kAwait +
                                   "ld.volatile.global.u32 %r10, [%d0];\n"
                                   "ld.volatile.global.u32 %r11, [%d0];",
                               32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(found[4 * lane], 0U) << lane;
    EXPECT_EQ(found[4 * lane + 1], 7U) << lane;
  }
}

// A word of 64 bits, and vectors, with a flag in them: whoever sees the flag sees the rest.
TEST_F(UnfencedStoreTest, WhatIsStoredAtOnceIsSeenAtOnce) {
  EXPECT_THAT(exchange("mov.u64 %d3, 0x100000007;\nst.volatile.global.u64 [%d0], %d3;\n",
                       "\nWAIT: ld.volatile.global.u64 %d4, [%d0];\nmov.b64 {%r10, %r11}, %d4;\n"
                       "setp.eq.u32 %p2, %r11, 0;\n@%p2 bra WAIT;"),
              ElementsAre(7, 1, 0, 0));
  EXPECT_THAT(findings(), IsEmpty());
  for (const std::string load : {"ld.volatile.global.v2.u32", "ld.relaxed.gpu.global.v2.u32"}) {
    words_ = upload(Words(kWords, 0));
    EXPECT_THAT(
        exchange("mov.u32 %r4, 7;\nmov.u32 %r5, 1;\nst.volatile.global.v2.u32 [%d0], {%r4, %r5};\n",
                 "\nWAIT: " + load + " {%r10, %r11}, [%d0];\nsetp.eq.u32 %p2, %r11, 0;\n@%p2 bra WAIT;"),
        ElementsAre(7, 1, 0, 0))
        << load;
  }
  words_ = upload(Words(kWords, 0));
  EXPECT_THAT(exchange("mov.u64 %d3, 7;\nmov.u64 %d4, 1;\nst.relaxed.gpu.global.v2.b64 [%d0], {%d3, %d4};\n",
                       "\nWAIT: ld.relaxed.gpu.global.v2.b64 {%d5, %d6}, [%d0];\nsetp.eq.u64 %p2, %d6, 0;\n"
                       "@%p2 bra WAIT;\ncvt.u32.u64 %r10, %d5;\ncvt.u32.u64 %r11, %d6;"),
              ElementsAre(7, 1, 0, 0));
}

// Half of what was stored at once is missed, and with it the other half is seen from then on.
TEST_F(UnfencedStoreTest, AStoreIsMissedOnceWhateverPartIsLookedAt) {
  EXPECT_THAT(exchange("mov.u64 %d3, 0x100000007;\nst.volatile.global.u64 [%d0], %d3;\n" + kTell,
                       kAwait + "ld.volatile.global.u8 %r10, [%d0];\nld.volatile.global.u32 %r11, [%d0+4];"),
              ElementsAre(0, 1, 0, 0));
  words_ = upload(Words(kWords, 0x01020304));
  EXPECT_THAT(
      exchange("st.volatile.global.u32 [%d0], 0x51525354;\n" + kTell,
               "\nld.volatile.global.u32 %r3, [%d0+252];\nWAIT: ld.volatile.global.u32 %r4, [%d0+252];\n"
               "setp.eq.u32 %p2, %r4, %r3;\n@%p2 bra WAIT;\n"
               "ld.volatile.global.u16 %r10, [%d0+2];\nld.volatile.global.u16 %r11, [%d0+2];"),
      ElementsAre(0x0102, 0x5152, 0, 0));
}

// Coherence: block 0 counts up in a word, and block 1 looks by loads and by atomics in turn.
TEST_F(UnfencedStoreTest, TheValuesOfAWordNeverGoBack) {
  EXPECT_EQ(exchange("mov.u32 %r4, 0;\nCOUNT: add.u32 %r4, %r4, 1;\nst.volatile.global.u32 [%d0], %r4;\n"
                     "setp.lt.u32 %p2, %r4, 50000;\n@%p2 bra COUNT;\n",
                     "mov.u32 %r10, 0;\nmov.u32 %r3, 0;\n"
                     "LOOK: ld.volatile.global.u32 %r4, [%d0];\nsetp.lt.u32 %p2, %r4, %r3;\n"
                     "@%p2 add.u32 %r10, %r10, 1;\natom.global.add.u32 %r3, [%d0], 0;\n"
                     "setp.lt.u32 %p2, %r3, %r4;\n@%p2 add.u32 %r10, %r10, 1;\n"
                     "setp.lt.u32 %p2, %r3, 50000;\n@%p2 bra LOOK;")[0],
            0U);
}

// The ticket comes before the word and announces it to nobody.
TEST_F(UnfencedStoreTest, WhoMissesTheOnlyWordOfABlockDoesNoWrong) {
  exchange("atom.global.add.u32 %r4, [%d0+128], 1;\n" + kValue + kValue,
           "\nld.volatile.global.u32 %r10, [%d0];");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UnfencedStoreTest, ReReadingClearsTheStaleMarkOfManyWordsInTurn) {
  constexpr unsigned kPolled = 40;
  std::string stores, looks = "\nROUND: mov.u32 %r10, 0;\n";
  for (unsigned k = 0; k < kPolled; ++k) {
    const std::string place = "[%d0+" + std::to_string(4 * k) + "]";
    stores += "st.volatile.global.u32 " + place + ", 1;\n";
    looks += "ld.volatile.global.u32 %r3, " + place + ";\nadd.u32 %r10, %r10, %r3;\n";
  }
  EXPECT_EQ(
      exchange(stores, looks + "setp.lt.u32 %p2, %r10, " + std::to_string(kPolled) + ";\n@%p2 bra ROUND;")[0],
      kPolled);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UnfencedStoreTest, ALaunchSeesWhatTheOneBeforeStored) {
  exchange(kValue, "\nmov.u32 %r10, 0;");
  EXPECT_EQ(exchange("", "\nld.volatile.global.u32 %r10, [%d0];")[0], 7U);
  EXPECT_EQ(download<std::uint32_t>(words_, 1)[0], 7U);
}

// More stores than the table has places for.
TEST_F(UnfencedStoreTest, ManyStoresMayBeSeenEarlyAndEndAllTheSame) {
  constexpr unsigned kMany = 1 << 17;
  const DeviceAddress values = upload(Words(kMany, 0)), out = upload(Words(2, 0));
  run("mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\nmov.u32 %r4, 0;\nmov.u32 %r6, 0;\nmov.u64 %d3, "
      "%d0;\n"
      "@%p1 bra READ;\n"
      "STORE: st.volatile.global.u32 [%d3], 1;\nadd.u64 %d3, %d3, 4;\nadd.u32 %r4, %r4, 1;\n"
      "setp.lt.u32 %p2, %r4, %r0;\n@%p2 bra STORE;\nbra END;\n"
      "READ: ld.volatile.global.u32 %r5, [%d3];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra READ;\n"
      "add.u32 %r6, %r6, %r5;\nadd.u64 %d3, %d3, 4;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, %r0;\n"
      "@%p2 bra READ;\nst.global.u32 [%d1], %r6;\nEND:",
      values, out, kMany, {2, 1, 1}, {1, 1, 1});
  EXPECT_EQ(download<std::uint32_t>(out, 1)[0], kMany);
  EXPECT_THAT(findings(), IsEmpty()) << "re-reading clears the stale mark";
}

// Every block adds one with a lock, the count a volatile word: right with a fence before the lock is given
// back, wrong without.
TEST_F(UnfencedStoreTest, ALockNeedsItsFence) {
  const auto count = [this](const std::string& fence) {
    words_ = upload(Words(kWords, 0));
    run("TAKE: atom.global.cas.b32 %r4, [%d0+128], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra TAKE;\n"
        "ld.volatile.global.u32 %r5, [%d0];\nadd.u32 %r5, %r5, 1;\nst.volatile.global.u32 [%d0], %r5;\n" +
            fence + "atom.global.exch.b32 %r4, [%d0+128], 0;",
        words_, 0, 0, {16, 1, 1}, {1, 1, 1});
    return download<std::uint32_t>(words_, 1)[0];
  };
  EXPECT_EQ(count("membar.gl;\n"), 16U);
  EXPECT_LT(count(""), 16U);
}

// Two blocks each announce themselves and then look for the other: with a fence at least one sees the other.
TEST_F(UnfencedStoreTest, FencesBetweenStoreAndLoadKeepTwoFromMissingEachOther) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    words_ = upload(Words(kWords, 0));
    const DeviceAddress out = upload(Words(2, 0));
    run("mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d4, %d3, %d0;\nxor.b32 %r3, %r2, 1;\n"
        "mul.wide.u32 %d5, %r3, 4;\nadd.u64 %d5, %d5, %d0;\nadd.u64 %d6, %d3, %d1;\n"
        "st.relaxed.gpu.global.u32 [%d4], 1;\nfence.sc.gpu;\nld.relaxed.gpu.global.u32 %r5, [%d5];\n"
        "st.global.u32 [%d6], %r5;",
        words_, out, 0, {2, 1, 1}, {1, 1, 1});
    EXPECT_THAT(download<std::uint32_t>(out, 2), Contains(1)) << repeat;
  }
}

}  // namespace
}  // namespace lockstep::emulator
