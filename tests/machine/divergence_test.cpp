// Lanes that take different ways: results, reconvergence, forward progress.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

const char* const kStoreR9 = "\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\nst.global.u32 [%d2], %r9;";

class DivergenceTest : public DeviceTest {
 protected:
  std::vector<std::uint32_t> run_warp(const std::string& body, std::uint32_t n = 0,
                                      const std::string& declarations = {}) {
    const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
    EXPECT_EQ(run(body + kStoreR9, out, 0, n, {}, {32, 1, 1}, declarations).status, LaunchResult::Status::ok);
    return download<std::uint32_t>(out, 32);
  }
  const LineCounters& line(std::uint32_t number) const {
    for (const LineCounters& counters : seen.lines) {
      if (counters.line.line == number) return counters;
    }
    throw std::out_of_range("no such line");
  }
};

TEST_F(DivergenceTest, BothArmsRunAndMeetAgain) {
  const auto values = run_warp(
      "setp.lt.u32 %p1, %r1, 10;\n"
      "@%p1 bra LOW;\n"
      "mov.u32 %r9, 200;\n"
      "bra DONE;\n"
      "LOW: mov.u32 %r9, 100;\n"
      "DONE: add.u32 %r9, %r9, 1;");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane < 10 ? 101U : 201U);
  EXPECT_EQ(line(2).divergent_branches, 1U);
  EXPECT_EQ(line(3).lanes, 22U);
  EXPECT_EQ(line(5).lanes, 10U);
  EXPECT_EQ(line(6).warps, 1U) << "the arms have met";
}

TEST_F(DivergenceTest, ALoopWithDifferentTripCountsMeetsAfterIt) {
  const auto values = run_warp(
      "mov.u32 %r9, 0;\n"
      "LOOP: add.u32 %r9, %r9, 1;\n"
      "setp.le.u32 %p1, %r9, %r1;\n"
      "@%p1 bra LOOP;\n"
      "add.u32 %r9, %r9, 1000;");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], 1001 + lane);
  EXPECT_EQ(line(2).warps, 32U);
  EXPECT_EQ(line(5).warps, 1U);
}

TEST_F(DivergenceTest, AnEarlyExitLeavesTheOthersRunning) {
  const auto values = run_warp("setp.ge.u32 %p1, %r1, 7;\n@%p1 ret;\nmov.u32 %r9, 5;");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane < 7 ? 5U : 0U);
}

TEST_F(DivergenceTest, GuardedInstructionsLeaveOtherLanesAlone) {
  const auto values =
      run_warp("mov.u32 %r9, 1;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 mov.u32 %r9, 2;\n@!%p1 add.u32 %r9, %r9, 9;");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane == 3 ? 2U : 10U);
}

TEST_F(DivergenceTest, ASpinLockWithinAWarpGoesOn) {
  // while (atomicCAS(&lock, 0, 1) != 0); count += 1; lock = 0: a strict reconvergence stack would hang here.
  const DeviceAddress lock = upload(std::vector<std::uint32_t>{0, 0});
  const LaunchResult result =
      run("SPIN: atom.global.cas.b32 %r2, [%d0], 0, 1;\n"
          "setp.ne.u32 %p1, %r2, 0;\n"
          "@%p1 bra SPIN;\n"
          "ld.volatile.global.u32 %r3, [%d0+4];\n"
          "add.u32 %r3, %r3, 1;\n"
          "st.volatile.global.u32 [%d0+4], %r3;\n"
          "membar.gl;\n"
          "atom.global.exch.b32 %r2, [%d0], 0;",
          lock, 0, 0, {8, 1, 1}, {64, 1, 1});
  EXPECT_EQ(result.status, LaunchResult::Status::ok);
  EXPECT_EQ(download<std::uint32_t>(lock, 2)[1], 512U);
}

TEST_F(DivergenceTest, AnIndirectBranchGoesSeveralWays) {
  const auto values = run_warp(
      "and.b32 %r2, %r1, 3;\n"
      "TABLE: .branchtargets A, B, C, D;\n"
      "brx.idx %r2, TABLE;\n"
      "A: mov.u32 %r9, 10;\nbra DONE;\n"
      "B: mov.u32 %r9, 11;\nbra DONE;\n"
      "C: mov.u32 %r9, 12;\nbra DONE;\n"
      "D: mov.u32 %r9, 13;\n"
      "DONE: add.u32 %r9, %r9, 0;");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], 10 + lane % 4);
}

TEST_F(DivergenceTest, ARecursiveFunctionReturnsToEachCaller) {
  const std::string factorial =
      ".func (.param .b32 result) factorial(.param .b32 value)\n{\n.reg .b32 %r<8>;\n.reg .pred %p<2>;\n"
      "ld.param.u32 %r1, [value];\nmov.u32 %r2, 1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra END;\n"
      "{\n.param .b32 argument;\n.param .b32 value_returned;\nsub.u32 %r3, %r1, 1;\nst.param.b32 [argument], "
      "%r3;\n"
      "call (value_returned), factorial, (argument);\nld.param.b32 %r4, [value_returned];\n}\nmul.lo.u32 "
      "%r2, %r4, %r1;\n"
      "END: st.param.b32 [result], %r2;\nret;\n}\n";
  const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
  ASSERT_EQ(
      run(std::string("and.b32 %r2, %r1, 7;\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r2;\n"
                      "call (y), factorial, (x);\nld.param.b32 %r9, [y];\n}") +
              kStoreR9,
          out, 0, 0, {}, {32, 1, 1}, factorial)
          .status,
      LaunchResult::Status::ok);
  const std::uint32_t expected[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  const auto values = download<std::uint32_t>(out, 32);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], expected[lane % 8]) << lane;
}

/// Odd lanes go round a loop in one function, with registers of 32 bits, until the others go first; these are
/// in another function, with registers of 64 bits in the same place.
TEST_F(DivergenceTest, FunctionsThatRunInTurnsKeepTheirRegisters) {
  const std::string functions =
      ".func (.param .b32 result) narrow(.param .b32 value)\n{\n.reg .b32 %r<8>;\n.reg .pred %p<2>;\n"
      "ld.param.u32 %r1, [value];\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
      "AGAIN: add.u32 %r2, %r2, %r1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 5000;\n@%p1 bra AGAIN;\n"
      "st.param.b32 [result], %r2;\nret;\n}\n"
      ".func (.param .b32 result) wide(.param .b32 value)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n.reg .pred "
      "%p<2>;\n"
      "ld.param.u32 %r1, [value];\ncvt.u64.u32 %d1, %r1;\nmov.u64 %d2, 0;\nmov.u64 %d3, 0;\n"
      "AGAIN: add.u64 %d2, %d2, %d1;\nadd.u64 %d3, %d3, 1;\nsetp.lt.u64 %p1, %d3, 5000;\n@%p1 bra AGAIN;\n"
      "cvt.u32.u64 %r2, %d2;\nst.param.b32 [result], %r2;\nret;\n}\n";
  const auto call = [](const char* function) {
    return "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall (y), " + std::string(function) +
           ", (x);\nld.param.b32 %r9, [y];\n}\n";
  };
  const auto values =
      run_warp("and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n" + call("narrow") +
                   "bra DONE;\nEVEN:\n" + call("wide") + "DONE: add.u32 %r9, %r9, 0;",
               0, functions);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], 5000 * lane) << lane;
}

TEST_F(DivergenceTest, EndlessRecursionIsAFindingNotACrash) {
  const std::string endless = ".func endless()\n{\n.reg .b32 %r<2>;\ncall endless;\nret;\n}\n";
  EXPECT_NE(run("call endless;", 0, 0, 0, {}, {32, 1, 1}, endless).status, LaunchResult::Status::ok);
  EXPECT_THAT(findings(), ::testing::Contains(::testing::StartsWith("stack-overflow")));
}

TEST_F(DivergenceTest, BlocksThatWaitForEachOtherAllRun) {
  // Every block adds one and waits until all 24 have: needs blocks that are resident together.
  const DeviceAddress counter = upload(std::vector<std::uint32_t>{0});
  const LaunchResult result =
      run("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\nred.global.add.u32 [%d0], 1;\n"
          "WAIT: ld.volatile.global.u32 %r2, [%d0];\nsetp.lt.u32 %p2, %r2, 24;\n@%p2 bra WAIT;",
          counter, 0, 0, {24, 1, 1}, {32, 1, 1});
  EXPECT_EQ(result.status, LaunchResult::Status::ok);
}

TEST_F(DivergenceTest, AnEndlessLoopStopsAtTheDeadlineAndNamesItsLine) {
  device.set_deadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(200));
  const LaunchResult result =
      run("mov.u32 %r9, 0;\nLOOP: add.u32 %r9, %r9, 1;\nbra LOOP;", 0, 0, 0, {64, 1, 1}, {256, 1, 1});
  EXPECT_EQ(result.status, LaunchResult::Status::launch_timeout);
  EXPECT_THAT(findings(), ::testing::Contains("time-limit 2"));
}

}  // namespace
}  // namespace lockstep::emulator
