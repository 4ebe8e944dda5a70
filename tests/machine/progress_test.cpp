// Grids that can never end, those that only take long, and the order that a seed makes.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProgressTest : public DeviceTest {
 protected:
  /// A grid that is stopped is one that was not seen in a livelock.
  void limit_time() { device.set_deadline(std::chrono::steady_clock::now() + std::chrono::seconds(2)); }
};

TEST_F(ProgressTest, AFlagThatNobodySetsIsFoundAtTheLoop) {
  const DeviceAddress flag = upload(std::vector<std::uint32_t>(4, 0), "flag");
  const LaunchResult result =
      run("WAIT: ld.volatile.global.u32 %r2, [%d0+8];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;", flag, 0, 0,
          {5, 1, 1}, {64, 1, 1});
  EXPECT_EQ(result.status, LaunchResult::Status::launch_timeout);
  ASSERT_THAT(findings(), ElementsAre("no-progress 1"));
  EXPECT_EQ(seen.findings[0].object, (Finding::Object{"flag", flag, 16}));
  EXPECT_EQ(seen.findings[0].address, flag + 8);
}

TEST_F(ProgressTest, ALockThatIsNeverReleasedIsFound) {
  const DeviceAddress lock = upload(std::vector<std::uint32_t>(1, 1), "lock");
  run("WAIT: atom.global.cas.b32 %r2, [%d0], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra WAIT;", lock, 0, 0,
      {2, 1, 1}, {32, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("no-progress 1"));
}

TEST_F(ProgressTest, ThreadsThatWaitForASpinningOneAreNamed) {
  const DeviceAddress flag = upload(std::vector<std::uint32_t>(1, 0), "flag");
  run("setp.ge.u32 %p2, %r1, 32;\n@%p2 bra MEET;\nWAIT: ld.volatile.global.u32 %r2, [%d0];\n"
      "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nMEET: bar.sync 0;",
      flag, 0, 0, {}, {64, 1, 1});
  ASSERT_THAT(findings(), ElementsAre("no-progress 3"));
  EXPECT_EQ(seen.findings[0].awaited, Finding::Awaited::barrier);
  EXPECT_EQ(seen.findings[0].awaited_line, 6U);
}

TEST_F(ProgressTest, ALoopThatCountsTakesItsTime) {
  const DeviceAddress out = upload(std::vector<std::uint32_t>(1, 0));
  run("mov.u32 %r2, 0;\nGO: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 400000;\n@%p1 bra GO;\n"
      "st.global.u32 [%d0], %r2;",
      out, 0, 0, {}, {1, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(download<std::uint32_t>(out, 1), ElementsAre(400000));
}

TEST_F(ProgressTest, TheDeadlineIsLookedAtWithinLongLoopsOfManyWarps) {
  // 64 passes of 32 warps, each of thousands of times this loop, take seconds.
  std::string loop = "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nGO: add.u32 %r2, %r2, 1;\n";
  for (int k = 0; k < 640; ++k) loop += "mad.lo.u32 %r3, %r3, %r2, %r1;\n";
  loop += "setp.lt.u32 %p1, %r2, 100000000;\n@%p1 bra GO;";
  const auto begin = std::chrono::steady_clock::now();
  device.set_deadline(begin + std::chrono::milliseconds(20));
  EXPECT_EQ(run(loop, 0, 0, 0, {}, {1024, 1, 1}).status, LaunchResult::Status::launch_timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

/// How long an endless loop ran.
class DeadlineTest : public ProgressTest {
 protected:
  std::chrono::nanoseconds run_endlessly(const Deadline& deadline) {
    const auto begin = std::chrono::steady_clock::now();
    device.set_deadline(deadline);
    EXPECT_EQ(run("mov.u32 %r2, 0;\nGO: add.u32 %r2, %r2, 1;\nbra GO;", 0, 0, 0, {}, {1, 1, 1}).status,
              LaunchResult::Status::launch_timeout);
    return std::chrono::steady_clock::now() - begin;
  }
};

// A machine that is busy with other work: time passes, and the kernel has not run.
TEST_F(DeadlineTest, AKernelIsGivenItsTimeOfAProcessorToo) {
  using std::chrono::milliseconds;
  Deadline deadline(std::chrono::steady_clock::now() - milliseconds(1));
  deadline.latest += std::chrono::hours(1);
  deadline.processor_time = milliseconds(100);
  EXPECT_GE(run_endlessly(deadline), milliseconds(95));
  EXPECT_GE(run_endlessly(deadline), milliseconds(95)) << "each call anew";
}

TEST_F(DeadlineTest, ItGoesOnUntilTheLatest) {
  using std::chrono::milliseconds;
  Deadline deadline(std::chrono::steady_clock::now() - milliseconds(1));
  deadline.latest += milliseconds(101);
  deadline.processor_time = std::chrono::hours(1);
  EXPECT_GE(run_endlessly(deadline), milliseconds(95));
}

TEST_F(DeadlineTest, WhatEarlierLaunchesOfTheCallUsedCounts) {
  using std::chrono::milliseconds;
  const auto begin = std::chrono::steady_clock::now();
  device.set_deadline(Deadline::after(milliseconds(200)));
  const std::string loop =
      "mov.u32 %r2, 0;\nGO: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 50000;\n@%p1 bra GO;";
  int launches = 0;
  while (launches < 100'000 && run(loop, 0, 0, 0, {}, {1, 1, 1}).status == LaunchResult::Status::ok)
    ++launches;
  EXPECT_GT(launches, 1);
  EXPECT_LT(launches, 100'000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(Deadline::kMaxPatience * 200 + 200));
}

TEST_F(ProgressTest, WhoPollsSharedMemoryLetsOthersRun) {
  // Warp 0 waits for warp 1, which loops for a few turns, and counts how often it looks.
  for (const std::string poll :
       {"ld.volatile.shared.u32", "ld.relaxed.cta.shared.u32", "ld.acquire.cta.shared.u32"}) {
    const DeviceAddress out = upload(std::vector<std::uint32_t>(1, 0));
    run("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [flag], 0;\nbar.sync 0;\nmov.u32 %r3, 0;\n"
        "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra SET;\nWAIT: add.u32 %r3, %r3, 1;\n" +
            poll +
            " %r2, [flag];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nst.global.u32 [%d0], %r3;\nbra DONE;\n"
            "SET: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 40000;\n@%p1 bra SET;\n"
            "st.volatile.shared.u32 [flag], 1;\nDONE: mov.u32 %r2, 0;",
        out, 0, 0, {1, 1, 1}, {64, 1, 1}, ".shared .align 4 .b8 flag[4];\n");
    EXPECT_THAT(download<std::uint32_t>(out, 1), ElementsAre(testing::Lt(2000U))) << poll;
  }
}

TEST_F(ProgressTest, WhoPollsAnotherBlockLetsItRun) {
  // Each of 64 blocks waits for the one after it, and counts in %d0[64 + block] how often it looks.
  for (const std::string poll :
       {"ld.volatile.global.u32 %r2, [%d3+4];", "atom.global.add.u32 %r2, [%d3+4], 0;",
        "atom.global.cas.b32 %r2, [%d3+4], 1, 1;"}) {
    std::vector<std::uint32_t> words(128, 0);
    words.push_back(0);
    const DeviceAddress flags = upload(words);
    run("mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %d3, %r4, 4;\nadd.u64 %d3, %d0, %d3;\nmov.u32 %r3, 0;\n"
        "setp.eq.u32 %p1, %r4, 63;\n@%p1 bra GO;\nWAIT: add.u32 %r3, %r3, 1;\n" +
            poll +
            "\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nGO: st.global.u32 [%d3+256], %r3;\nmembar.gl;\n"
            "st.volatile.global.u32 [%d3], 1;",
        flags, 0, 0, {64, 1, 1}, {32, 1, 1});
    std::uint64_t looks = 0;
    const auto after = download<std::uint32_t>(flags, 128);
    for (std::size_t block = 0; block < 64; ++block) {
      EXPECT_EQ(after[block], 1U) << poll;
      looks += after[64 + block];
    }
    EXPECT_LT(looks, 100'000U) << poll;
  }
}

TEST_F(ProgressTest, WhoSleepsBetweenPollsPollsFewTimes) {
  // Warp 0 waits for warp 1, and counts how often it looks.
  const DeviceAddress words = upload(std::vector<std::uint32_t>(2, 0));
  run("setp.ge.u32 %p2, %r1, 32;\n@%p2 bra SET;\nmov.u32 %r3, 0;\n"
      "WAIT: add.u32 %r3, %r3, 1;\nnanosleep.u32 20;\nld.volatile.global.u32 %r2, [%d0];\n"
      "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nst.global.u32 [%d0+4], %r3;\nbra DONE;\n"
      "SET: mov.u32 %r2, 1;\nst.volatile.global.u32 [%d0], %r2;\nDONE: mov.u32 %r2, 0;",
      words, 0, 0, {}, {64, 1, 1});
  EXPECT_THAT(download<std::uint32_t>(words, 2), ElementsAre(1, testing::Le(2)));
}

// Whether the register that holds the time is the same as before depends on when it is looked at.
TEST_F(ProgressTest, ALoopThatWaitsForTheTimeIsNotAccused) {
  run("mov.u64 %d2, %globaltimer;\nadd.u64 %d2, %d2, 300000000;\n"
      "WAIT: mov.u64 %d3, %globaltimer;\nsetp.lt.u64 %p1, %d3, %d2;\nmov.u64 %d3, 0;\n@%p1 bra WAIT;",
      0, 0, 0, {}, {1, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ProgressTest, ABlockThatWaitsForACountingOneIsNotAccused) {
  const DeviceAddress flag = upload(std::vector<std::uint32_t>(1, 0));
  run("mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\nmov.u32 %r2, 0;\n"
      "GO: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 1000000;\n@%p1 bra GO;\nst.volatile.global.u32 [%d0], "
      "1;\nret;\n"
      "WAIT: ld.volatile.global.u32 %r2, [%d0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;",
      flag, 0, 0, {2, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ProgressTest, AThreadThatWaitsForTheHostIsToldThatItCannot) {
  const DeviceAddress flag = device.allocate(4, "shared", {.exchanged = true});
  const std::vector<std::uint32_t> zero(1, 0);
  device.write(flag, std::as_bytes(std::span(zero)));
  run("WAIT: ld.volatile.global.u32 %r2, [%d0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;", flag, 0, 0, {},
      {1, 1, 1});
  ASSERT_THAT(findings(), ElementsAre("no-progress 1"));
  EXPECT_TRUE(seen.findings[0].sees_no_host_writes);
}

const char* const kMbarrier = ".shared .align 8 .b8 bar[8];\n";
/// Two warps, of which the second goes on at SECOND. The first waits for both at an mbarrier, lines 7 and 8.
const char* const kFirstWaits =
    "mov.u32 %r5, bar;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r5], 64;\nbar.sync 0;\n"
    "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra SECOND;\n"
    "mbarrier.arrive.shared.b64 %d5, [%r5];\nWAIT: mbarrier.try_wait.shared.b64 %p3, [%r5], %d5;\n"
    "@!%p3 bra WAIT;\nret;\n";

TEST_F(ProgressTest, AWaitAtAnMbarrierForACountingWarpIsNotAccused) {
  const LaunchResult result = run(
      std::string(kFirstWaits) +
          "SECOND: mov.u32 %r2, 0;\nGO: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 1000000;\n@%p1 bra GO;\n"
          "mbarrier.arrive.shared.b64 %d5, [%r5];",
      0, 0, 0, {}, {64, 1, 1}, kMbarrier);
  EXPECT_EQ(result.status, LaunchResult::Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ProgressTest, AnMbarrierThatNobodyCompletesIsADeadlock) {
  run(std::string(kFirstWaits) + "SECOND: ret;", 0, 0, 0, {}, {64, 1, 1}, kMbarrier);
  EXPECT_THAT(findings(), ElementsAre("deadlock 8"));
}

// The loop that keeps the others waiting is the one to look at.
TEST_F(ProgressTest, WhoWaitsAtAnMbarrierForASpinningThreadIsNamed) {
  const DeviceAddress flag = upload(std::vector<std::uint32_t>(1, 0), "flag");
  run(std::string(kFirstWaits) +
          "SECOND: ld.volatile.global.u32 %r2, [%d0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra SECOND;\n"
          "mbarrier.arrive.shared.b64 %d5, [%r5];",
      flag, 0, 0, {}, {64, 1, 1}, kMbarrier);
  ASSERT_THAT(findings(), ElementsAre("no-progress 11"));
  EXPECT_EQ(seen.findings[0].awaited, Finding::Awaited::mbarrier);
  EXPECT_EQ(seen.findings[0].awaited_line, 8U);
}

TEST_F(ProgressTest, ALoopThatStoresEndsAtTheTimeLimit) {
  limit_time();
  const DeviceAddress out = upload(std::vector<std::uint32_t>(1, 0));
  run("mov.u32 %r2, 0;\nGO: add.u32 %r2, %r2, 1;\nst.global.u32 [%d0], %r2;\nbra GO;", out, 0, 0, {},
      {1, 1, 1});
  ASSERT_EQ(seen.findings.size(), 1U);
  EXPECT_EQ(seen.findings[0].kind, Finding::Kind::time_limit);
}

/// Tickets in the order in which warps of blocks of two warps reached the counter.
std::vector<std::uint32_t> tickets(std::uint64_t seed) {
  class Shuffled : public DeviceTest {
   public:
    explicit Shuffled(const DeviceOptions& options) : DeviceTest(options) {}
    void TestBody() override {}
    std::vector<std::uint32_t> take() {
      const DeviceAddress out = upload(std::vector<std::uint32_t>(64, 0));
      const DeviceAddress counter = upload(std::vector<std::uint32_t>(1, 0));
      run("mov.u32 %r2, %ctaid.x;\nshl.b32 %r2, %r2, 1;\nshr.u32 %r3, %r1, 5;\nadd.u32 %r2, %r2, %r3;\n"
          "and.b32 %r4, %r1, 31;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 exit;\natom.global.add.u32 %r5, [%d1], 1;\n"
          "mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d2, %d0;\nst.global.u32 [%d2], %r5;",
          out, counter, 0, {32, 1, 1}, {64, 1, 1});
      return download<std::uint32_t>(out, 64);
    }
  };
  DeviceOptions options;
  options.workers = 1;
  options.seed = seed;
  return Shuffled(options).take();
}

TEST(Seed, ShufflesBlocksAndWarpsTheSameWayEachTime) {
  std::vector<std::uint32_t> in_order(64);
  std::iota(in_order.begin(), in_order.end(), 0U);
  EXPECT_EQ(tickets(0), in_order);
  const std::vector<std::uint32_t> shuffled = tickets(7);
  EXPECT_EQ(tickets(7), shuffled);
  EXPECT_NE(tickets(8), shuffled);
  EXPECT_THAT(shuffled, ::testing::UnorderedElementsAreArray(in_order));
  std::size_t second_warp_first = 0;
  for (std::size_t block = 0; block < 32; ++block) {
    second_warp_first += shuffled[2 * block + 1] < shuffled[2 * block] ? 1U : 0U;
  }
  EXPECT_GT(second_warp_first, 4U);
  EXPECT_LT(second_warp_first, 28U);
}

}  // namespace
}  // namespace lockstep::emulator
