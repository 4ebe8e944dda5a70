// Streams, events, graphs and stream-ordered memory, by whole programs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "emulated_program.h"

namespace lockstep::emulator {
namespace {

TEST(Streams, WorkIsDoneWhenSomethingOrdersIt) {
  const Ended result = run("stream_order");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "in order\n");
  // What the program made to be refused, and nothing else.
  EXPECT_NE(result.errors.find("bad-launch in store_kernel(int*, int)"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("does not support events for several processes yet"), std::string::npos)
      << result.errors;
  EXPECT_NE(result.errors.find("1 finding of"), std::string::npos) << result.errors;
}

TEST(Streams, EveryThreadHasADefaultStreamIfBuiltSo) {
  expect_clean("per_thread", "a stream for each thread\n");
}

TEST(Streams, WorkThatIsNeverWaitedForIsDoneAtTheEndAndPrintsNothing) {
  const Ended result = run("unsynchronised");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "launched\n");
  EXPECT_NE(result.errors.find("out-of-bounds in leave_kernel(int*)"), std::string::npos) << result.errors;
}

TEST(Streams, LaunchesWaitIfTheEnvironmentSaysSo) {
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  const Ended result = run("unsynchronised");
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
  EXPECT_EQ(result.output, "never seen\nlaunched\n");
}

TEST(Streams, CaptureRecordsAndRefuses) { expect_clean("capture", "captured\n"); }

TEST(Streams, GraphsRunInTheOrderOfTheirEdges) {
  const Ended result = run("graphs");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "graphs run\n");
  EXPECT_EQ(result.errors,
            "lockstep: the emulated device does not support conditional nodes of graphs yet\n"
            "lockstep: the emulated device does not support cudaGraphDebugDotPrint yet\n");
}

TEST(Streams, ManagedAndMappedMemoryShowWorkThatWasWaitedFor) {
  expect_clean("managed_order", "seen in turn\n");
}

TEST(Streams, BelongToDevices) {
  const Ended result = run("device_streams", {}, 2);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "streams of two devices\n");
  EXPECT_EQ(result.errors, "");
}

TEST(Streams, ArraysAreCopiedInTheirTurn) { expect_clean("array_streams", "arrays in order\n"); }

TEST(Streams, MemoryIsFreedInTheOrderOfTheStream) { expect_clean("pools", "memory in order\n"); }

}  // namespace
}  // namespace lockstep::emulator
