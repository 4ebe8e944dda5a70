// mbarrier objects: phases and counts after the PTX ISA, what they order, and their misuse.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Status = LaunchResult::Status;

const char* const kShared = ".shared .align 8 .b8 bar[16];\n.shared .align 256 .b8 tile[1024];\n";
/// %r5: an mbarrier of n arrivals, made by thread 0; %r2: the thread's word of the tile; %r3: another warp's;
/// %d3: its word of a. Lines 1 to 11.
const char* const kMake =
    "mov.u32 %r5, bar;\nmov.u32 %r4, tile;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r4;\nxor.b32 %r3, %r2, "
    "128;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d0, %d3;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 "
    "mbarrier.init.shared.b64 [%r5], %r0;\nbar.sync 0;\nmov.u32 %r7, 0;\n";
const char* const kWaitToken = "WAIT: mbarrier.try_wait.shared.b64 %p2, [%r5], %d5;\n@!%p2 bra WAIT;\n";

class MbarrierTest : public DeviceTest {
 protected:
  LaunchResult run_with(const std::string& body, std::uint32_t arrivals, unsigned threads = 64) {
    a = upload(std::vector<std::uint32_t>(threads, 0));
    const LaunchResult result = run(kMake + body, a, 0, arrivals, {}, {threads, 1, 1}, kShared);
    results = download<std::uint32_t>(a, threads);
    return result;
  }

  DeviceAddress a = 0;
  std::vector<std::uint32_t> results;
};

TEST_F(MbarrierTest, OrdersWhatWasDoneBeforeTheArrival) {
  const LaunchResult result =
      run_with(std::string("st.shared.u32 [%r2], %r1;\nmbarrier.arrive.shared.b64 %d5, [%r5];\n") +
                   kWaitToken + "ld.shared.u32 %r6, [%r3];\nst.global.u32 [%d3], %r6;",
               64);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(results[t], t ^ 32);
}

TEST_F(MbarrierTest, DoesNotOrderWhatWasDoneAfterTheArrival) {
  run_with(std::string("mbarrier.arrive.shared.b64 %d5, [%r5];\nst.shared.u32 [%r2], %r1;\n") + kWaitToken +
               "ld.shared.u32 %r6, [%r3];",
           64);
  EXPECT_THAT(findings(), ElementsAre("race 16"));
}

// All read a word, and its owner writes it again, in two rounds: between read and write they meet, or not.
TEST_F(MbarrierTest, ReadsOfSeveralWarpsComeBeforeTheNextWrite) {
  const std::string meet =
      "mbarrier.arrive.shared.b64 %d5, [%r5];\nWAIT#: mbarrier.try_wait.shared.b64 %p2, [%r5], %d5;\n@!%p2 "
      "bra "
      "WAIT#;\n";
  const auto meet_at = [&](const std::string& number) {
    std::string text = meet;
    for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#'))
      text.replace(at, 1, number);
    return text;
  };
  const auto rounds = [&](const std::string& between) {
    return "mov.u32 %r8, 0;\nROUND: st.shared.u32 [%r2], %r1;\n" + meet_at("1") +
           "and.b32 %r6, %r1, 31;\nshl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r6, %r4;\nld.shared.u32 %r7, "
           "[%r6];\n" +
           between +
           "add.u32 %r8, %r8, 1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r8, 2;\n@%p3 bra ROUND;\n";
  };
  EXPECT_EQ(run_with(rounds(meet_at("2")), 96, 96).status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  run_with(rounds(""), 96, 96);
  EXPECT_THAT(findings(), Contains(StartsWith("race")));
}

TEST_F(MbarrierTest, AWaitThatFailsOrdersNothing) {
  run_with(
      "st.shared.u32 [%r2], %r1;\nmbarrier.arrive.shared.b64 %d5, [%r5];\n"
      "mbarrier.test_wait.shared.b64 %p2, [%r5], %d5;\nld.shared.u32 %r6, [%r3];",
      65);
  EXPECT_THAT(findings(), Contains("race 15"));
}

TEST_F(MbarrierTest, ARelaxedWaitOrdersNothing) {
  run_with(
      "st.shared.u32 [%r2], %r1;\nmbarrier.arrive.shared.b64 %d5, [%r5];\n"
      "WAIT: mbarrier.try_wait.relaxed.cta.shared::cta.b64 %p2, [%r5], %d5;\n@!%p2 bra WAIT;\n"
      "ld.shared.u32 %r6, [%r3];",
      64);
  EXPECT_THAT(findings(), Contains("race 16"));
}

// Phases have parities 0, 1, 0, …: the one before the first is odd, and complete.
TEST_F(MbarrierTest, ParityTellsThePhase) {
  run_with(
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 1;\n@%p2 add.u32 %r7, %r7, 1;\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0;\n@%p2 add.u32 %r7, %r7, 10;\n"
      "mbarrier.arrive.shared.b64 _, [%r5];\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0;\n@%p2 add.u32 %r7, %r7, 100;\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 1;\n@%p2 add.u32 %r7, %r7, 1000;\n"
      "st.global.u32 [%d3], %r7;",
      32, 32);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(results, Each(101U));
}

// One thread of 3 arrivals: 2 + 1 completes the phase, and the token holds what was pending before.
TEST_F(MbarrierTest, TokensHoldThePendingCount) {
  run_with(
      "mbarrier.arrive.shared.b64 %d5, [%r5], 2;\nmbarrier.pending_count.b64 %r7, %d5;\n"
      "mbarrier.arrive.release.cta.shared::cta.b64 %d6, [%r5];\nmbarrier.pending_count.b64 %r8, %d6;\n"
      "mad.lo.u32 %r7, %r7, 10, %r8;\nmbarrier.arrive.noComplete.shared.b64 %d7, [%r5], 1;\n"
      "mbarrier.pending_count.b64 %r8, %d7;\nmad.lo.u32 %r7, %r7, 10, %r8;\n"
      "mbarrier.test_wait.shared.b64 %p2, [%r5], %d6;\n@%p2 add.u32 %r7, %r7, 1000;\n"
      "mbarrier.test_wait.shared.b64 %p2, [%r5], %d7;\n@%p2 add.u32 %r7, %r7, 2000;\nst.global.u32 [%d3], "
      "%r7;",
      3, 1);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(results, ElementsAre(1313U));
}

// 64 threads, of which 32 drop out: the next phase waits for the others alone.
TEST_F(MbarrierTest, WhoDropsOutIsNoLongerExpected) {
  const LaunchResult result = run_with(
      std::string(
          "setp.lt.u32 %p3, %r1, 32;\n@!%p3 bra STAY;\nmbarrier.arrive_drop.shared.b64 _, [%r5];\nret;\n"
          "STAY: mbarrier.arrive.shared.b64 %d5, [%r5];\n") +
          kWaitToken +
          "mbarrier.arrive.shared.b64 %d5, [%r5];\nAGAIN: mbarrier.try_wait.shared.b64 %p2, [%r5], %d5, "
          "100;\n@!%p2 bra AGAIN;\nst.global.u32 [%d3], 1;",
      64);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(results[31], 0U);
  EXPECT_EQ(results[32], 1U);
}

TEST_F(MbarrierTest, BytesHoldThePhaseOpen) {
  run_with(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], 24;\nmbarrier.arrive.shared.b64 %d5, [%r5];\n"
      "mbarrier.test_wait.shared.b64 %p2, [%r5], %d5;\n@%p2 add.u32 %r7, %r7, 1;\n"
      "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r5], 24;\n"
      "mbarrier.test_wait.shared.b64 %p2, [%r5], %d5;\n@%p2 add.u32 %r7, %r7, 2;\nst.global.u32 [%d3], %r7;",
      1, 1);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(results, ElementsAre(2U));
}

// The second warp waits for copies of the first, which itself does not.
TEST_F(MbarrierTest, CopiesArriveAtTheMbarrierThatTheyAreTiedTo) {
  const std::string body =
      "setp.ge.u32 %p3, %r1, 32;\n@%p3 bra CONSUME;\ncp.async.ca.shared.global [%r2], [%d3], 4;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];\nbra DONE;\n"
      "CONSUME: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n@!%p2 bra CONSUME;\n";
  run_with(body + "ld.shared.u32 %r6, [%r3];\nDONE: mov.u32 %r8, 0;", 32);
  EXPECT_THAT(findings(), IsEmpty());
  // Without .noinc the arrival is one that was added: the count stays, and a plain arrival completes it.
  const std::string added =
      "cp.async.ca.shared.global [%r2], [%d3], 4;\ncp.async.mbarrier.arrive.shared.b64 [%r5];\n"
      "mbarrier.arrive.shared.b64 %d5, [%r5];\n";
  EXPECT_EQ(run_with(added + kWaitToken + "ld.shared.u32 %r6, [%r3];", 64).status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  run_with(added + "ld.shared.u32 %r6, [%r2];", 64);
  EXPECT_THAT(findings(), Contains("race 15"));
}

TEST_F(MbarrierTest, AnInitThatOthersDoNotWaitForIsARace) {
  const LaunchResult result =
      run("mov.u32 %r5, bar;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r5], 64;\n"
          "mbarrier.arrive.shared.b64 %d5, [%r5];",
          0, 0, 0, {}, {64, 1, 1}, kShared);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), Contains("race 4"));
}

TEST_F(MbarrierTest, MisuseEndsTheLaunchAndSaysWhy) {
  struct Misuse {
    const char* body;
    Finding::Cause cause;
    std::vector<std::int64_t> numbers;
  };
  using enum Finding::Cause;
  for (const auto& [body, cause, numbers] :
       {Misuse{"mbarrier.arrive.shared.b64 %d5, [%r5+8];", mbarrier_missing, {8}},
        Misuse{"mbarrier.inval.shared.b64 [%r5];\nmbarrier.arrive.shared.b64 %d5, [%r5];",
               mbarrier_missing,
               {0}},
        Misuse{"st.shared.u32 [%r5], 77;\nmbarrier.arrive.shared.b64 %d5, [%r5];", mbarrier_missing, {0}},
        Misuse{"mbarrier.arrive.shared.b64 %d5, [%r5], 3;", mbarrier_arrivals, {3, 2}},
        Misuse{"mbarrier.arrive.shared.b64 %d5, [%r5], 0;", mbarrier_no_arrivals, {}},
        Misuse{"mbarrier.arrive.noComplete.shared.b64 %d5, [%r5], 2;", mbarrier_completed, {}},
        Misuse{"mbarrier.init.shared.b64 [%r5+4], 1;", mbarrier_misaligned, {}},
        Misuse{"mbarrier.init.shared.b64 [%r5], 1048576;", mbarrier_count, {1048576, 1048575}},
        Misuse{"mbarrier.init.shared.b64 [%r5], 0;", mbarrier_count, {0, 1048575}},
        Misuse{"mbarrier.expect_tx.shared.b64 [%r5], 1048576;", mbarrier_bytes, {1048576, 1048575}}}) {
    EXPECT_EQ(run_with(body, 2, 1).status, Status::illegal_instruction) << body;
    ASSERT_THAT(findings(), Contains(StartsWith("bad-sync"))) << body;
    EXPECT_EQ(seen.findings.back().cause, cause) << body;
    EXPECT_EQ(seen.findings.back().numbers, numbers) << body;
  }
  EXPECT_EQ(run_with("mbarrier.arrive.shared.b64 %d5, [%r5+4096];", 2, 1).status, Status::illegal_address);
}

TEST_F(MbarrierTest, AnEndlessWaitIsReportedWhereItSpins) {
  const LaunchResult result =
      run_with(std::string("mbarrier.arrive.shared.b64 %d5, [%r5];\n") + kWaitToken, 65);
  EXPECT_EQ(result.status, Status::launch_timeout);
  EXPECT_THAT(findings(), ElementsAre("deadlock 13"));
  EXPECT_THAT(seen.findings[0].numbers, ElementsAre(2, 1, 0)) << "warps, arrivals, bytes";
}

}  // namespace
}  // namespace lockstep::emulator
