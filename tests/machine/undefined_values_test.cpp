// Values from memory that nothing has written: reported where they matter, at the load that they come from,
// and never where they are only carried about.
#include <map>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// %d0: 1 KiB of global memory of which words 0, 2 and 3 are written; `items`: shared memory, in which the
/// same words are.
class UndefinedValuesTest : public DeviceTest {
 protected:
  std::vector<std::string> found(const std::string& body, unsigned threads = 1) {
    const DeviceAddress memory = device.allocate(1024, "memory");
    const std::string begin =
        "mov.u32 %r9, items; "
        "st.global.u32 [%d0], 1; st.global.u32 [%d0+8], 2; st.global.u32 [%d0+12], 3; "
        "st.shared.u32 [%r9], 1; st.shared.u32 [%r9+8], 2; st.shared.u32 [%r9+12], 3; ";
    EXPECT_EQ(
        run(begin + body, memory, 0, 0, {}, {threads, 1, 1}, ".shared .align 16 .b8 items[256];\n").status,
        LaunchResult::Status::ok)
        << body;
    return findings();
  }
};

const std::string kReadIt = "ld.global.u32 %r2, [%d0+4];\n";
const std::string kFound = "uninitialised-read 1";

TEST_F(UndefinedValuesTest, WhatNobodyUsesIsNoMistake) {
  EXPECT_THAT(found(kReadIt), IsEmpty());
  EXPECT_THAT(found(kReadIt + "add.u32 %r2, %r2, 1;\nmul.lo.u32 %r3, %r2, %r2;\nmov.u32 %r2, 0;\n"
                              "st.global.u32 [%d0], %r2;"),
              IsEmpty());
}

TEST_F(UndefinedValuesTest, EveryUseIsFoundAtTheLoad) {
  const std::map<std::string, std::string> uses = {
      {"a store", "st.global.u32 [%d0], %r2;"},
      {"a store to shared memory", "st.shared.u32 [%r9], %r2;"},
      {"a store to local memory", ".local .b32 own; st.local.u32 [own], %r2;"},
      {"one of two that are stored", "st.global.v2.u32 [%d0], {%r1, %r2};"},
      {"a sum", "add.u32 %r3, %r2, 1;\nst.global.u32 [%d0], %r3;"},
      {"a float", "mov.b32 %f1, %r2;\nfma.rn.f32 %f2, %f1, %f1, %f1;\nst.global.f32 [%d0], %f2;"},
      {"a comparison", "setp.gt.u32 %p1, %r2, 3;\n@%p1 st.global.u32 [%d0], 1;"},
      {"a branch", "setp.gt.u32 %p1, %r2, 3;\n@%p1 bra past;\nst.global.u32 [%d0], 1;\npast:"},
      {"a branch in another block", "bra next;\nnext: setp.gt.u32 %p1, %r2, 3;\n@%p1 bra past;\npast:"},
      {"a return", "setp.gt.u32 %p1, %r2, 3;\n@%p1 ret;\nst.global.u32 [%d0], 1;"},
      {"an address", "and.b32 %r2, %r2, 4;\nadd.u32 %r3, %r9, %r2;\nst.shared.u32 [%r3], 1;"},
      {"an address of a load",
       "and.b32 %r2, %r2, 4;\ncvt.u64.u32 %d3, %r2;\nadd.u64 %d3, %d0, %d3;\nld.global.u32 %r4, [%d3];"},
      {"an atomic operation", "red.global.add.u32 [%d0], %r2;"},
      {"what is shuffled", "shfl.sync.idx.b32 %r3, %r2, 0, 31, 1;\nst.global.u32 [%d0], %r3;"},
      {"the lane of a shuffle", "and.b32 %r2, %r2, 32;\nshfl.sync.idx.b32 %r3, %r1, %r2, 31, 1;"},
      {"a vote", "setp.gt.u32 %p1, %r2, 3;\nvote.sync.any.pred %p2, %p1, 1;"},
      {"a predicate that selects",
       "setp.gt.u32 %p1, %r2, 3;\nselp.b32 %r3, 1, 2, %p1;\nst.global.u32 [%d0], %r3;"},
      {"what is selected", "setp.eq.u32 %p1, %r1, 0;\nselp.b32 %r3, %r2, 2, %p1;\nst.global.u32 [%d0], %r3;"},
      {"through a conjunction",
       "setp.eq.u32 %p1, %r1, 0;\nsetp.gt.u32 %p2, %r2, 3;\nand.pred %p3, %p1, %p2;\n@%p3 bra past;\npast:"},
      {"what is converted", "cvt.s64.s32 %d3, %r2;\nst.global.u64 [%d0], %d3;"},
      {"half of a pair", "mov.b64 %d3, {%r1, %r2};\nmov.b64 {%r3, %r4}, %d3;\nst.global.u32 [%d0], %r4;"},
  };
  for (const auto& [name, use] : uses) {
    EXPECT_THAT(found(kReadIt + use), ElementsAre(kFound)) << name;
    EXPECT_THAT(found("ld.shared.u32 %r2, [%r9+4];\n" + use), ElementsAre(kFound)) << name << ", shared";
  }
}

TEST_F(UndefinedValuesTest, TheFindingTellsTheThreadAndTheUse) {
  const std::string body =
      "mad.wide.u32 %d9, %r1, 4, %d0;\nsetp.gt.u32 %p1, %r1, 4;\n@%p1 ld.global.u32 %r2, [%d0+4];\n"
      "@!%p1 mov.u32 %r2, 7;\nst.global.u32 [%d9+16], %r2;";
  EXPECT_THAT(found(body, 8), ElementsAre("uninitialised-read 3"));
  EXPECT_EQ(seen.findings[0].thread[0], 5U);
  EXPECT_EQ(seen.findings[0].count, 1U);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::uninitialised_global);
  EXPECT_EQ(seen.findings[0].object.name, "memory");
  EXPECT_EQ(seen.findings[0].address, seen.findings[0].object.begin + 4);
  EXPECT_EQ(seen.findings[0].used_at.line, 5U);
  EXPECT_THAT(found("ld.shared.u32 %r2, [%r9+4]; st.global.u32 [%d0+16], %r2;", 8), ElementsAre(kFound));
  EXPECT_EQ(seen.findings[0].count, 8U);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::uninitialised_shared);
  EXPECT_EQ(seen.findings[0].used_at.line, 0U) << "it is the line of the read";
}

TEST_F(UndefinedValuesTest, OneLoadIsReportedOnce) {
  EXPECT_THAT(found(kReadIt + "add.u32 %r3, %r2, 1;\nst.global.u32 [%d0], %r2;\nst.global.u32 [%d0], %r3;"),
              ElementsAre(kFound));
  EXPECT_EQ(seen.findings[0].count, 1U);
}

TEST_F(UndefinedValuesTest, LanesThatDropAValueDoNotUseIt) {
  const std::map<std::string, std::string> drops = {
      {"a selection in another block",
       "bra next;\nnext: setp.gt.u32 %p1, %r1, 9;\nselp.b32 %r3, %r2, 2, %p1;\nst.global.u32 [%d0], %r3;"},
      {"a conjunction",
       "setp.gt.u32 %p1, %r1, 9;\nsetp.gt.u32 %p2, %r2, 3;\nand.pred %p3, %p1, %p2;\n@%p3 bra past;\npast:"},
      {"a disjunction",
       "setp.lt.u32 %p1, %r1, 9;\nsetp.gt.u32 %p2, %r2, 3;\nor.pred %p3, %p2, %p1;\n@%p3 bra past;\npast:"},
      {"a comparison that is combined",
       "setp.gt.u32 %p1, %r1, 9;\nsetp.gt.and.u32 %p3, %r2, 3, %p1;\n@%p3 bra past;\npast:"},
      {"a comparison that is combined the other way",
       "setp.gt.u32 %p1, %r1, 9;\nsetp.gt.or.u32 %p3, %r2, 3, !%p1;\n@%p3 bra past;\npast:"},
      {"a calculation before the selection",
       "mad.lo.u32 %r3, %r2, 5, 7;\nsetp.gt.u32 %p1, %r1, 9;\nselp.b32 %r3, %r3, 2, %p1;\nst.global.u32 "
       "[%d0], %r3;"},
      {"a branch around the use",
       "setp.lt.u32 %p1, %r1, 9;\n@%p1 bra past;\nst.global.u32 [%d0], %r2;\npast:"},
  };
  for (const auto& [name, drop] : drops) EXPECT_THAT(found(kReadIt + drop), IsEmpty()) << name;
}

// --- structures ---

TEST_F(UndefinedValuesTest, PaddingIsCopiedAndStaysUninitialised) {
  for (const char* space : {"global", "shared"}) {
    const std::string in = space == std::string("global") ? "[%d0" : "[%r9";
    const std::string load = std::string("ld.") + space, store = std::string("st.") + space;
    const std::map<std::string, std::string> copies = {
        {"a vector", load + ".v4.u32 {%r2, %r3, %r4, %r5}, " + in + "];\n" + store + ".v4.u32 " + in +
                         "+64], {%r2, %r3, %r4, %r5};\n"},
        {"halves",
         load + ".v2.u64 {%d2, %d3}, " + in + "];\n" + store + ".v2.u64 " + in + "+64], {%d2, %d3};\n"},
        {"registers apart", load + ".v2.u64 {%d2, %d3}, " + in + "];\nmov.b64 {%r2, %r3}, %d2;\n" + store +
                                ".u32 " + in + "+64], %r2;\n" + store + ".u32 " + in + "+68], %r3;\n" +
                                store + ".u64 " + in + "+72], %d3;\n"},
    };
    for (const auto& [name, copy] : copies) {
      EXPECT_THAT(found(copy + load + ".u32 %r6, " + in + "+64];\n" + load + ".u64 %d6, " + in + "+72];\n" +
                        "add.u32 %r6, %r6, 1;\nst.global.u32 [%d0], %r6;\nst.global.u64 [%d0], %d6;"),
                  IsEmpty())
          << space << ", " << name;
      const auto lines = static_cast<std::size_t>(std::count(copy.begin(), copy.end(), '\n'));
      EXPECT_THAT(found(copy + load + ".u32 %r6, " + in + "+68];\nst.global.u32 [%d0], %r6;"),
                  ElementsAre("uninitialised-read " + std::to_string(lines + 1)))
          << space << ", " << name;
    }
  }
}

TEST_F(UndefinedValuesTest, PaddingOfBytesIsCopied) {
  const std::string write = "st.shared.u8 [%r9+16], 7;\nst.shared.u32 [%r9+20], 8;\n";
  const std::string copy = "ld.shared.u64 %d2, [%r9+16];\nst.shared.u64 [%r9+64], %d2;\n";
  EXPECT_THAT(found(write + copy + "ld.shared.u8 %r3, [%r9+64];\nst.global.u32 [%d0], %r3;"), IsEmpty());
  EXPECT_THAT(found(write + copy + "ld.shared.u8 %r3, [%r9+65];\nst.global.u32 [%d0], %r3;"),
              ElementsAre("uninitialised-read 5"));
}

TEST_F(UndefinedValuesTest, WhatLiesBehindTheLastMemberIsPadding) {
  // As nvcc copies a structure whose last member is a short: word 2, and the uninitialised bytes 4 to 7.
  const std::string copy =
      "ld.global.u32 %r2, [%d0+8]; ld.global.v2.u8 {%r3, %r4}, [%d0+4]; st.global.u32 [%d0+72], %r2; "
      "st.global.v2.u8 [%d0+68], {%r3, %r4};\n";
  EXPECT_THAT(found(copy), IsEmpty());
  EXPECT_THAT(found(copy + "ld.global.u8 %r5, [%d0+68];\nst.global.u32 [%d0], %r5;"),
              ElementsAre("uninitialised-read 2"));
  EXPECT_THAT(found("ld.global.u32 %r2, [%d0+20]; ld.global.v2.u8 {%r3, %r4}, [%d0+16];\n"
                    "st.global.v2.u8 [%d0+68], {%r3, %r4};"),
              ElementsAre(kFound))
      << "a structure without any initialised member";
  EXPECT_THAT(found("ld.global.u64 %d2, [%d0+8]; ld.global.u32 %r3, [%d0+4]; st.global.u32 [%d0+68], %r3;"),
              IsEmpty())
      << "a word of padding";
  EXPECT_THAT(found("ld.global.u32 %r2, [%d0+8]; ld.global.u32 %r3, [%d0+4]; st.global.u32 [%d0+68], %r3;"),
              ElementsAre(kFound))
      << "an element of an array";
  EXPECT_THAT(found("ld.global.u32 %r2, [%d0+8];\nld.global.u8 %r3, [%d0+4];\nst.global.u8 [%d0+68], %r3;"),
              ElementsAre("uninitialised-read 2"))
      << "a byte of its own";
}

TEST_F(UndefinedValuesTest, AMissingMemberOfAVectorIsNoPadding) {
  // Four values that are loaded by themselves, and one of them was never written.
  EXPECT_THAT(found("ld.shared.u32 %r2, [%r9]; ld.shared.u32 %r3, [%r9+4]; ld.shared.u32 %r4, [%r9+8];\n"
                    "st.global.v4.u32 [%d0], {%r2, %r3, %r4, %r4};"),
              ElementsAre(kFound));
  EXPECT_THAT(found("ld.shared.v2.u32 {%r2, %r3}, [%r9];\nadd.u32 %r4, %r2, %r3;\nst.global.u32 [%d0], %r4;"),
              ElementsAre(kFound));
}

// --- bits ---

TEST_F(UndefinedValuesTest, MembersOfABitFieldAreSetOneAfterTheOther) {
  const std::string set =
      "ld.shared.u32 %r2, [%r9+4]; and.b32 %r2, %r2, 0xFFFFFC00; or.b32 %r2, %r2, 5; st.shared.u32 [%r9+4], "
      "%r2;\n";
  EXPECT_THAT(found(set + "ld.shared.u32 %r3, [%r9+4]; and.b32 %r3, %r3, 1023; st.global.u32 [%d0], %r3;"),
              IsEmpty());
  EXPECT_THAT(
      found("ld.shared.u32 %r2, [%r9+4]; and.b32 %r2, %r2, 0xFFFFFC00; st.shared.u32 [%r9+4], %r2;\n"),
      IsEmpty())
      << "a member that becomes zero";
  EXPECT_THAT(found("ld.shared.u32 %r2, [%r9+4]; and.b32 %r2, %r2, 255; st.shared.u32 [%r9+20], %r2;\n"),
              ElementsAre(kFound))
      << "an uninitialised byte, as a result";
  EXPECT_THAT(found("ld.shared.u32 %r2, [%r9+4]; add.u32 %r2, %r2, 1; st.shared.u32 [%r9+4], %r2;\n"),
              ElementsAre(kFound))
      << "a counter that was not cleared";
  EXPECT_THAT(found("ld.shared.u32 %r2, [%r9+4];\nbfi.b32 %r3, %r1, %r2, 8, 4;\nbfe.u32 %r4, %r3, 8, 4;\n"
                    "st.global.u32 [%d0], %r4;"),
              IsEmpty());
  EXPECT_THAT(found("ld.shared.u32 %r2, [%r9+4];\nbfi.b32 %r3, %r1, %r2, 8, 4;\nbfe.u32 %r4, %r3, 8, 5;\n"
                    "setp.eq.u32 %p1, %r4, 3;\n@%p1 bra past;\npast:"),
              ElementsAre(kFound));
}

TEST_F(UndefinedValuesTest, BitsAreFollowed) {
  // Byte 3 of %r2 is undefined; line 1 is the load.
  const std::string begin =
      "st.shared.u8 [%r9+32], 1; st.shared.u8 [%r9+33], 2; st.shared.u8 [%r9+34], 3; ld.shared.u32 %r2, "
      "[%r9+32];\n";
  const std::string decide = "\nsetp.eq.u32 %p1, %r3, 3;\n@%p1 bra past;\npast:";
  const std::vector<std::string> defined = {
      "shl.b32 %r3, %r2, 8;",
      "and.b32 %r3, %r2, 0xFFFFFF;",
      "and.b32 %r3, 255, %r2;",
      "or.b32 %r3, %r2, 0xFF000000;",
      "bfe.s32 %r3, %r2, 0, 24;",
      "prmt.b32 %r3, %r2, 0, 0x0210;",
      "prmt.b32 %r3, 0, %r2, 0x0654;",
      "prmt.b32 %r3, %r2, 0, 0xA210;",
      "add.u32 %r3, %r2, 9; and.b32 %r3, %r3, 0xFFFFFF;",
      "sub.u32 %r3, 9, %r2; shl.b32 %r3, %r3, 8;",
      "mul.lo.u32 %r3, %r2, 3; and.b32 %r3, %r3, 0xFFFFFF;",
      "xor.b32 %r3, %r2, -1; not.b32 %r3, %r3; shl.b32 %r3, %r3, 8;",
      "cvt.u16.u32 %h1, %r2; cvt.u32.u16 %r3, %h1;",
      "cvt.s32.s8 %r3, %r2;",
      "lop3.b32 %r3, %r2, 0xFFFFFF, 0, 0xC0;",
      "add.u32 %r3, %r2, 0; shl.b32 %r3, %r3, 8;",
      "shl.b32 %r3, %r2, 24; and.b32 %r3, %r3, 0xF0000000; add.u32 %r3, %r3, 1;",
      "bfe.u32 %r4, %r2, 0, 8; shl.b32 %r3, %r2, 8; add.u32 %r3, %r3, %r4;",
      "shl.b32 %r3, %r2, 99;",
  };
  for (const std::string& code : defined) EXPECT_THAT(found(begin + code + decide), IsEmpty()) << code;
  const std::vector<std::string> undefined = {
      "shl.b32 %r3, %r2, 7;",
      "shr.u32 %r3, %r2, 31;",
      "shr.s32 %r3, %r2, 99;",
      "shr.s32 %r3, %r2, 8; shr.u32 %r3, %r3, 24;",
      "shl.b32 %r3, 1, %r2;",
      "and.b32 %r3, %r2, 0x1FFFFFF;",
      "or.b32 %r3, %r2, 0xFE000000;",
      "bfe.u32 %r3, %r2, 0, 25;",
      "bfe.u32 %r3, 7, 0, %r2;",
      "prmt.b32 %r3, %r2, 0, 0x3210;",
      "prmt.b32 %r3, %r2, 0, 0xB210;",
      "add.u32 %r3, %r2, 9;",
      "sub.u32 %r3, 9, %r2; shr.u32 %r3, %r3, 24;",
      "lop3.b32 %r3, %r2, 0x1FFFFFF, 0, 0xC0;",
      "lop3.b32 %r3, %r2, %r2, 0, 0x3C;",
      "xor.b32 %r3, %r2, %r2;",
      "cvt.s64.s32 %d3, %r2; shr.u64 %d3, %d3, 32; cvt.u32.u64 %r3, %d3;",
      "mov.b64 %d3, {%r2, 0}; mov.b64 {%r3, %r4}, %d3;",
      "popc.b32 %r3, %r2;",
      "selp.b32 %r3, %r2, 0, %p2;",
  };
  const std::string always = "setp.eq.u32 %p2, 1, 1; ";
  for (const std::string& code : undefined)
    EXPECT_THAT(found(always + begin + code + decide), ElementsAre(kFound)) << code;
}

TEST_F(UndefinedValuesTest, WhatIsCalculatedAsAWholeIsUsedWhereItsResultIs) {
  const std::vector<std::string> calculations = {
      "bmsk.clamp.b32 %r3, %r2, 4;",
      "szext.clamp.s32 %r3, %r2, 8;",
      "fns.b32 %r3, %r2, 0, 1;",
      "add.cc.u32 %r4, %r1, 1; addc.u32 %r3, %r2, 0;",
      "sub.cc.u32 %r4, %r1, 1; subc.u32 %r3, %r2, 0;",
      "mad.lo.cc.u32 %r4, %r1, 3, 5; madc.hi.u32 %r3, %r1, %r2, 0;",
      "getctarank.shared::cluster.u32 %r3, %r2;",
      "cvt.u64.u32 %d3, %r2; isspacep.shared %p2, %d3; selp.u32 %r3, 1, 0, %p2;",
      "vadd2.u32.u32.u32 %r3, %r2, 1, 0;",
      "vsub2.u32.u32.u32 %r3, %r2, 1, 0;",
      "vavrg2.u32.u32.u32 %r3, %r2, 1, 0;",
      "vabsdiff2.u32.u32.u32 %r3, %r2, 1, 0;",
      "vmin2.u32.u32.u32 %r3, %r2, 1, 0;",
      "vmax2.u32.u32.u32 %r3, %r2, 1, 0;",
      "vset2.u32.u32.lt %r3, %r2, 1, 0;",
      "vadd4.u32.u32.u32 %r3, %r2, 1, 0;",
      "vsub4.u32.u32.u32 %r3, %r2, 1, 0;",
      "vavrg4.u32.u32.u32 %r3, %r2, 1, 0;",
      "vabsdiff4.u32.u32.u32.add %r3, %r2, 1, 0;",
      "vmin4.u32.u32.u32 %r3, %r2, 1, 0;",
      "vmax4.u32.u32.u32 %r3, %r2, 1, 0;",
      "vset4.u32.u32.lt %r3, %r2, 1, 0;",
  };
  for (const std::string& code : calculations) {
    EXPECT_THAT(found(kReadIt + code), IsEmpty()) << code << " and nothing else";
    EXPECT_THAT(found(kReadIt + code + "\nst.global.u32 [%d0], %r3;"), ElementsAre(kFound)) << code;
  }
  EXPECT_THAT(found(kReadIt + "add.cc.u32 %r3, %r2, 1;"), ElementsAre(kFound)) << "nobody follows the flag";
}

TEST_F(UndefinedValuesTest, TheResultOfABarrierIsWritten) {
  const std::string vote = "setp.eq.u32 %p1, %r1, 0;\n";
  EXPECT_THAT(found(vote + "ld.global.u32 %r2, [%d0+4];\nbar.red.popc.u32 %r2, 0, %p1;\n"
                           "st.global.u32 [%d0], %r2;"),
              IsEmpty());
  EXPECT_THAT(found(vote + "ld.global.u32 %r2, [%d0+4];\nsetp.gt.u32 %p2, %r2, 3;\n"
                           "barrier.red.and.pred %p2, 0, %p1;\n@%p2 bra past;\npast:"),
              IsEmpty());
  EXPECT_THAT(found(kReadIt + "setp.gt.u32 %p2, %r2, 3;\nbar.red.popc.u32 %r3, 0, %p2;"), ElementsAre(kFound))
      << "a vote";
}

TEST_F(UndefinedValuesTest, ASignedLoadIsAsUndefinedAsItsSign) {
  const std::string decide = "\nshr.u32 %r3, %r2, 20;\nsetp.eq.u32 %p1, %r3, 3;\n@%p1 bra past;\npast:";
  EXPECT_THAT(found("ld.global.s16 %r2, [%d0+4];" + decide), ElementsAre(kFound));
  EXPECT_THAT(found("ld.global.u16 %r2, [%d0+4];" + decide), IsEmpty());
}

TEST_F(UndefinedValuesTest, OnlyWhatStaysInPlaceGoesBack) {
  const std::string load = "ld.shared.u32 %r2, [%r9+4]; ", store = " st.shared.u32 [%r9+4], %r2;\n";
  EXPECT_THAT(found(load + "shl.b32 %r2, %r2, 1; or.b32 %r2, %r2, 1;" + store), ElementsAre(kFound))
      << "bits that are pushed into what nobody cleared";
  EXPECT_THAT(found(load + "bfi.b32 %r2, %r2, 1, 1, 31;" + store), ElementsAre(kFound)) << "the same by bfi";
  EXPECT_THAT(found(load + "lop3.b32 %r2, %r2, 0xFFFFFC00, 5, 0xEA;" + store), IsEmpty());
  EXPECT_THAT(found("ld.shared.u32 %r3, [%r9+20]; " + load + "bfi.b32 %r2, 5, %r2, 0, 8; " +
                    "and.b32 %r3, %r3, 255; " + store),
              IsEmpty());
}

TEST_F(UndefinedValuesTest, LanesSetMembersApartAndStoreThemTogether) {
  // The lower lanes load at one place, the upper ones at another; the word of each goes back.
  const std::string body =
      "shl.b32 %r10, %r1, 2; add.u32 %r10, %r10, %r9; setp.lt.u32 %p1, %r1, 4; @%p1 bra low;\n"
      "ld.shared.u32 %r2, [%r10+64];\nbra both;\n"
      "low: ld.shared.u32 %r2, [%r10+64];\n"
      "both: and.b32 %r2, %r2, 0xFFFFFFF0; or.b32 %r2, %r2, 5; st.shared.u32 [%r10+64], %r2;";
  EXPECT_THAT(found(body, 8), IsEmpty());
}

TEST_F(UndefinedValuesTest, AFieldThatIsCopiedFromAnUninitialisedWordIsNotItsSource) {
  EXPECT_THAT(found("st.shared.u8 [%r9+32], 1; st.shared.u8 [%r9+36], 1; ld.shared.u32 %r3, [%r9+36];\n"
                    "ld.shared.u32 %r2, [%r9+4]; bfi.b32 %r2, %r3, %r2, 0, 8; st.shared.u32 [%r9+4], %r2;"),
              IsEmpty());
}

TEST_F(UndefinedValuesTest, SharedMemoryThatNobodyClearedIsNotZero) {
  const DeviceAddress out = upload(std::vector<std::uint32_t>{0});
  run("mov.u32 %r9, items; ld.shared.u32 %r2, [%r9]; or.b32 %r2, %r2, 2; st.shared.u32 [%r9], %r2;"
      "ld.shared.u32 %r3, [%r9]; st.global.u32 [%d0], %r3;",
      out, 0, 0, {}, {1, 1, 1}, ".shared .align 16 .b8 items[256];\n");
  EXPECT_NE(download<std::uint32_t>(out, 1)[0], 2U) << "flags that are set in an uncleared word";
}

// --- where warps and calls come in ---

TEST_F(UndefinedValuesTest, PaddingThatIsStoredOutOfBoundsFailsLikeAnythingElse) {
  const DeviceAddress memory = device.allocate(64, "memory");
  for (const char* address : {"0x7FFFFFFFFFF0", "0xFFFFFFFFFFFFFF00", "0x200000000002"}) {
    const LaunchResult result =
        run("st.global.u32 [%d0], 1;\nld.global.v2.u32 {%r2, %r3}, [%d0];\nmov.u64 %d3, " +
                std::string(address) + ";\nst.global.v2.u32 [%d3], {%r2, %r3};",
            memory, 0, 0, {}, {1, 1, 1});
    EXPECT_NE(result.status, LaunchResult::Status::ok) << address;
  }
}

TEST_F(UndefinedValuesTest, TheFindingNamesALaneThatUsesTheValue) {
  const std::string body =
      "mad.wide.u32 %d9, %r1, 4, %d0;\n"
      "shl.b32 %r10, %r1, 2; add.u32 %r10, %r10, %r9; ld.shared.u32 %r2, [%r10+64];\n"
      "setp.gt.u32 %p1, %r1, 4;\n@%p1 st.global.u32 [%d9+16], %r2;";
  EXPECT_THAT(found(body, 8), ElementsAre("uninitialised-read 2"));
  EXPECT_EQ(seen.findings[0].thread[0], 5U);
  EXPECT_EQ(seen.findings[0].count, 3U);
  EXPECT_EQ(seen.findings[0].address, 84U);
}

TEST_F(UndefinedValuesTest, MoreRegistersThanAnybodyFollowsAreReported) {
  std::string registers = ".reg .b32 %many<2000>;\n", loads, stores;
  for (int k = 0; k < 2000; ++k) {
    const std::string name = "%many" + std::to_string(k);
    loads += "add.u32 " + name + ", %r2, " + std::to_string(k) + ";\n";
    stores += "st.global.u32 [%d0], " + name + ";\n";
  }
  EXPECT_THAT(found(registers + kReadIt + loads), IsEmpty()) << "registers that are dead";
  EXPECT_THAT(found(registers + kReadIt + loads + "setp.gt.u32 %p1, %r1, 99;\n@!%p1 exit;\n" + stores),
              ElementsAre("uninitialised-read 2"));
}

TEST_F(UndefinedValuesTest, AnotherLanesValueIsItsOwn) {
  // Lanes 4 and up hold uninitialised values; the lower ones store and branch.
  const std::string body =
      "setp.lt.u32 %p1, %r1, 4;\nmov.u32 %r2, 1;\n@!%p1 ld.global.u32 %r2, [%d0+4];\n@%p1 bra low;\nbra "
      "end;\n"
      "low: setp.eq.u32 %p2, %r2, 1;\n@%p2 st.global.u32 [%d0+64], %r2;\nend:";
  EXPECT_THAT(found(body, 8), IsEmpty());
}

TEST_F(UndefinedValuesTest, AShuffleBringsThemToOtherLanes) {
  // Lanes 4 to 7 hold uninitialised values.
  const std::string begin =
      "setp.lt.u32 %p1, %r1, 4;\nmov.u32 %r2, 1;\n@!%p1 ld.global.u32 %r2, [%d0+4];\n"
      "mov.u32 %r5, %r1;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d3, %d0;\n";
  const std::string low = "setp.lt.u32 %p2, %r1, 4;\n@%p2 st.global.u32 [%d3+64], %r4;";
  const std::string high = "setp.ge.u32 %p2, %r1, 4;\n@%p2 st.global.u32 [%d3+64], %r4;";
  const std::string mask = ", 0xFF;\n";
  const std::vector<std::string> to_low = {
      "shfl.sync.down.b32 %r4, %r2, 4, 6175", "shfl.sync.bfly.b32 %r4, %r2, 4, 6175",
      "shfl.sync.idx.b32 %r4, %r2, 5, 6175", "shfl.sync.down.b32 %r4|%p3, %r2, 4, 6175",
      "mov.u32 %r4, %r2; shfl.sync.down.b32 %r4, %r4, 4, 6175"};
  for (const std::string& shuffle : to_low)
    EXPECT_THAT(found(begin + shuffle + mask + low, 8), ElementsAre("uninitialised-read 3")) << shuffle;
  const std::vector<std::string> from_low = {"shfl.sync.up.b32 %r4, %r2, 4, 6144",
                                             "shfl.sync.bfly.b32 %r4, %r2, 4, 6175",
                                             "shfl.sync.idx.b32 %r4, %r2, 2, 6175"};
  for (const std::string& shuffle : from_low)
    EXPECT_THAT(found(begin + shuffle + mask + high, 8), IsEmpty()) << shuffle;
  EXPECT_THAT(found(begin + "shfl.sync.down.b32 %r4, %r2, 2, 6175" + mask +
                        "setp.lt.u32 %p2, %r1, 2;\n"
                        "@%p2 st.global.u32 [%d3+64], %r4;",
                    8),
              IsEmpty())
      << "the lanes that get one drop it";
  EXPECT_THAT(found(begin + "shfl.sync.down.b32 %r4, %r2, 2, 6175" + mask + low, 8),
              ElementsAre("uninitialised-read 3"));
}

TEST_F(UndefinedValuesTest, ALoopForgetsWhatItWritesAgain) {
  const std::string body =
      "mov.u32 %r3, 0;\nld.global.u32 %r2, [%d0+4];\nagain: mov.u32 %r2, %r3;\nadd.u32 %r3, %r3, 1;\n"
      "st.global.u32 [%d0], %r2;\nsetp.lt.u32 %p1, %r3, 10;\n@%p1 bra again;";
  EXPECT_THAT(found(body), IsEmpty());
}

TEST_F(UndefinedValuesTest, ACallIsFollowed) {
  const std::string function =
      ".func (.param .b32 result) half(.param .b32 value)\n{\n.reg .b32 %r<4>;\n.loc 1 100 1\n"
      "ld.param.u32 %r1, [value];\nshr.u32 %r2, %r1, 1;\nst.param.b32 [result], %r2;\nret;\n}\n";
  const DeviceAddress memory = device.allocate(64, "memory");
  const std::string call =
      "{\n.param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0], %r2;\ncall (r0), half, (p0);\n"
      "ld.param.b32 %r3, [r0];\n}\n";
  run("ld.global.u32 %r2, [%d0];\n" + call, memory, 0, 0, {}, {1, 1, 1}, function);
  EXPECT_THAT(findings(), ElementsAre(kFound));
  run("ld.global.u32 %r2, [%d0];\nmov.u32 %r2, 6;\n" + call + "st.global.u32 [%d0], %r3;", memory, 0, 0, {},
      {1, 1, 1}, function);
  EXPECT_THAT(findings(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::emulator
