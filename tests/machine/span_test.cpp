// How much of a launch can happen at once: work over the busiest block, whatever machine emulates it.
#include <array>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

/// Instructions of kernel_text that are not of the body.
constexpr std::uint64_t kFrame = 5;

class SpanTest : public DeviceTest {
 protected:
  explicit SpanTest(unsigned workers = 2) : DeviceTest(with_workers(workers)) {}

  static DeviceOptions with_workers(unsigned workers) {
    DeviceOptions options;
    options.workers = workers;
    return options;
  }

  KernelWork run_blocks(const std::string& body, unsigned blocks, unsigned threads, std::uint32_t n = 0) {
    EXPECT_EQ(run(body, memory, 0, n, {blocks, 1, 1}, {threads, 1, 1}, ".shared .align 16 .b8 tile[4096];\n")
                  .status,
              LaunchResult::Status::ok);
    EXPECT_EQ(seen.kernels.size(), 1U);
    return seen.kernels.empty() ? KernelWork{} : seen.kernels[0];
  }

  const DeviceAddress memory = upload(std::vector<std::uint32_t>(1 << 12, 0));
};

class SpanOfOneWorker : public SpanTest {
 protected:
  SpanOfOneWorker() : SpanTest(1) {}
};

const std::string kNothing = "mov.u32 %r2, 7;";

TEST_F(SpanTest, LikeBlocksKeepOneMultiprocessorEachBusy) {
  const KernelWork work = run_blocks(kNothing, 12, 256);
  EXPECT_EQ(work.kernel, "kernel");
  EXPECT_EQ(work.launches, 1U);
  EXPECT_EQ(work.blocks, 12U);
  EXPECT_EQ(work.work, 12 * 8 * (kFrame + 1));
  EXPECT_EQ(work.span, 8 * (kFrame + 1));
  EXPECT_EQ(work.parallelism(), 12);
  EXPECT_EQ(work.work, seen.warp_instructions);
}

TEST_F(SpanTest, AWarpFillsAQuarterOfAMultiprocessor) {
  EXPECT_EQ(run_blocks(kNothing, 1, 1024).parallelism(), 1);
  EXPECT_EQ(run_blocks(kNothing, 1, 128).parallelism(), 1);
  EXPECT_EQ(run_blocks(kNothing, 1, 32).parallelism(), 0.25);
  EXPECT_EQ(run_blocks(kNothing, 1, 1).parallelism(), 0.25);
  EXPECT_EQ(run_blocks(kNothing, 100, 32).parallelism(), 25);
}

/// Thread 0 of the blocks below n goes round a loop 1000 times.
const std::string kSomeWork =
    "mov.u32 %r2, %ctaid.x;\nsetp.ge.u32 %p1, %r2, %r0;\n@%p1 bra DONE;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra "
    "DONE;\n"
    "mov.u32 %r3, 0;\nGO: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 1000;\n@%p1 bra GO;\nDONE: mov.u32 "
    "%r3, 0;";

TEST_F(SpanTest, OneBusyThreadHoldsUpAllOthers) {
  const KernelWork one = run_blocks(kSomeWork, 64, 128, 1), all = run_blocks(kSomeWork, 64, 128, 64);
  EXPECT_LT(one.parallelism(), 2);
  EXPECT_GT(all.parallelism(), 16);
  EXPECT_LT(all.parallelism(), 17) << "one warp of four is at work, and a multiprocessor has room for four";
}

TEST_F(SpanTest, LaunchesFollowEachOther) {
  const Device::ModuleId module = device.load_ptx(kernel_text(kNothing));
  const Device::KernelId kernel = device.kernel(module, "kernel");
  const std::array<std::byte, 24> parameters{};
  for (const unsigned blocks : {1U, 100U}) {
    LaunchConfiguration configuration;
    configuration.grid = {blocks, 1, 1};
    configuration.block = {128, 1, 1};
    device.launch(kernel, configuration, parameters);
  }
  seen = device.take_observations();
  ASSERT_EQ(seen.kernels.size(), 1U);
  EXPECT_EQ(seen.kernels[0].launches, 2U);
  EXPECT_EQ(seen.kernels[0].blocks, 101U);
  EXPECT_EQ(seen.kernels[0].parallelism(), 101 / 2.0);
  EXPECT_TRUE(device.take_observations().kernels.empty()) << "they are reported once";
}

/// Block 0 counts to n and sets a flag, for which the others wait.
const std::string kFlag =
    "mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nmov.u32 %r3, 0;\n"
    "GO: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r0;\n@%p1 bra GO;\n"
    "mov.u32 %r4, 1;\nst.release.gpu.global.u32 [%d0], %r4;\nbra DONE;\n";

TEST_F(SpanTest, RoundsOfALoopThatOnlyAsksCountOnce) {
  for (const std::string look :
       {"ld.volatile.global.u32 %r4, [%d0];", "ld.acquire.gpu.global.u32 %r4, [%d0];",
        "atom.global.or.b32 %r4, [%d0], 0;"}) {
    std::array<KernelWork, 2> works;
    for (const std::uint32_t rounds : {1U, 200'000U}) {
      device.fill(memory, std::byte{0}, 4);
      works[rounds == 1 ? 0 : 1] = run_blocks(
          kFlag + "WAIT: " + look + "\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra WAIT;\nDONE: mov.u32 %r4, 0;", 3,
          32, rounds);
    }
    const std::uint64_t counted = 3 * 199'999;  // by block 0 alone
    EXPECT_GE(works[1].work, works[0].work + counted) << look;
    EXPECT_LE(works[1].work, works[0].work + counted + 2 * 2 * 3)
        << look << ": two rounds of each block that waits";
    EXPECT_LT(works[1].parallelism(), 0.2505) << look;
  }
}

TEST_F(SpanTest, WorkBesideALookIsWork) {
  // The word never changes, but each round reads another one too.
  const KernelWork work = run_blocks(
      "mov.u32 %r2, 0;\nGO: ld.volatile.global.u32 %r4, [%d0];\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d0, "
      "%d2;\n"
      "ld.global.u32 %r5, [%d2];\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 1000;\n@%p1 bra GO;",
      1, 32);
  EXPECT_EQ(work.work, kFrame + 1 + 1000 * 7);
  // So does one that computes for long.
  std::string longer = "mov.u32 %r2, 0;\nGO: ld.volatile.global.u32 %r4, [%d0];\n";
  for (int k = 0; k < 80; ++k) longer += "mad.lo.u32 %r5, %r5, %r4, 3;\n";
  EXPECT_EQ(run_blocks("mov.u32 %r5, 1;\n" + longer +
                           "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 1000;\n@%p1 bra GO;",
                       1, 32)
                .work,
            kFrame + 2 + 1000 * 84);
}

/// Each block draws a number below 1000 and counts to 100, until there are no more.
const std::string kDraw =
    "NEXT: atom.global.add.u32 %r2, [%d0], 1;\nsetp.ge.u32 %p1, %r2, 1000;\n@%p1 bra DONE;\nmov.u32 %r3, 0;\n"
    "GO: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 100;\n@%p1 bra GO;\nbra NEXT;\nDONE: mov.u32 %r3, 0;";

TEST_F(SpanOfOneWorker, WhoDrawsNumbersTakesWhatAnyOtherMight) {
  const KernelWork work = run_blocks(kDraw, 16, 1);
  EXPECT_GT(work.work, 300'000U);
  EXPECT_NEAR(work.parallelism(), 4, 0.1) << "16 warps, though the first block has drawn all";
  device.fill(memory, std::byte{0}, 4);
  EXPECT_NEAR(run_blocks(kDraw, 1, 1).parallelism(), 0.25, 0.01) << "a single warp has nobody to share with";
}

TEST_F(SpanOfOneWorker, WarpsOfABlockDrawFromSharedMemory) {
  const std::string draw =
      "setp.ne.u32 %p2, %r1, 0;\nmov.u32 %r5, 0;\n@!%p2 st.shared.u32 [tile], %r5;\nbar.sync 0;\n"
      "and.b32 %r6, %r1, 31;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 bra DONE;\n"
      "NEXT: atom.shared.add.u32 %r2, [tile], 1;\nsetp.ge.u32 %p1, %r2, 1000;\n@%p1 bra DONE;\nmov.u32 %r3, "
      "0;\n"
      "GO: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 100;\n@%p1 bra GO;\nbra NEXT;\nDONE: mov.u32 %r3, 0;";
  EXPECT_NEAR(run_blocks(draw, 10, 256).parallelism(), 10, 0.1);
}

TEST_F(SpanTest, AddingUpIsNoDrawing) {
  // 32 lanes add at once, as a histogram does.
  const KernelWork work = run_blocks(
      "mov.u32 %r2, 0;\nmov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra DONE;\n"
      "GO: atom.global.add.u32 %r3, [%d0], 1;\nadd.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p1, %r2, 1000;\n@%p1 bra GO;\nDONE: mov.u32 %r3, 0;",
      64, 32);
  EXPECT_LT(work.parallelism(), 0.4) << "of 64 blocks one has all the work";
}

}  // namespace
}  // namespace lockstep::emulator
