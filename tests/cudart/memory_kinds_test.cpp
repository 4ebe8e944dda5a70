// Kinds of memory that the program and kernels both use: whole programs that check themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulated_program.h"

namespace lockstep::emulator {
namespace {

using testing::HasSubstr;

TEST(ManagedMemory, ProgramAndKernelsTakeTurns) { expect_clean("managed", "turns taken\n"); }

TEST(ManagedMemory, WhatTheProgramOrAKernelWroteIsInitialised) {
  for (const char* page : {"0", "2", "3"}) {
    const Ended result = run("managed_pages", {page});
    EXPECT_EQ(result.status, 0) << page;
    EXPECT_EQ(result.errors, "") << page;
  }
}

TEST(ManagedMemory, PagesThatNobodyTouchedAreNot) {
  const Ended result = run("managed_pages", {"1"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.errors, HasSubstr("uninitialised-read in read_kernel(int const*, int*)"));
  EXPECT_THAT(result.errors, HasSubstr("read of byte 4096 of 'managed memory', which nothing has written"));
}

TEST(ManagedMemory, IsOpenAfterAFailedKernel) {
  const Ended result = run("managed_failure");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "an illegal memory access was encountered\n");
  EXPECT_THAT(result.errors, HasSubstr("write of 4 bytes just past the end of 'managed memory' (4 bytes)"));
}

TEST(ManagedMemory, OtherFaultsAreTheProgramsOwn) { expect_clean("own_handler", "caught 3\n"); }

TEST(PinnedMemory, KernelsReachItInPlace) { expect_clean("pinned", "read in place\n"); }

TEST(PinnedMemory, OtherHostMemoryIsOutOfReach) {
  const std::vector<std::string> sentences = {
      "which is in no allocation", "of pinned host memory that the kernel was given no pointer to",
      "read of 4 bytes just past the end of 'pinned host memory' (16 bytes)",
      "which cudaHostGetDevicePointer returns"};
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const Ended result = run("unreachable_host", {std::to_string(i)});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, "refused\n");
    EXPECT_THAT(result.errors, HasSubstr(sentences[i]));
  }
}

TEST(Devices, AreTwo) {
  const Ended result = run("devices", {}, 2);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "two devices\n");
  EXPECT_EQ(result.errors, "");
}

TEST(Devices, MemoryOfAnotherNeedsPermission) {
  const Ended result = run("devices", {"without-access"}, 2);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "cudaErrorIllegalAddress\n");
  EXPECT_THAT(result.errors, HasSubstr("read of 4 bytes of memory of device 1, to which the kernel's device "
                                       "has no access: cudaDeviceEnablePeerAccess gives it"));
}

TEST(Volumes, AreAllocatedAndFilled) { expect_clean("volumes", "filled\n"); }

TEST(DeviceHeap, KernelsTakeMemoryAndGiveItBack) { expect_clean("device_heap", "taken and given back\n"); }

TEST(DeviceHeap, MistakesAreFindingsAtTheirLines) {
  struct Mistake {
    int line;
    std::string error, message;
  };
  const std::vector<Mistake> mistakes = {
      {9, "cudaErrorIllegalAddress",
       "write of 4 bytes just past the end of a block of the device's heap (40 bytes)"},
      {10, "cudaErrorIllegalAddress",
       "write of 4 bytes just past the end of a block of the device's heap (128 bytes)"},
      {12, "cudaErrorIllegalAddress",
       "read of 4 bytes of a block of the device's heap (40 bytes) after it was freed"},
      {13, "cudaErrorLaunchFailure", "free of a block (40 bytes) that was freed before"},
      {14, "cudaErrorLaunchFailure", "free of an address 4 bytes into a block (128 bytes), not of its start"},
      {15, "cudaErrorLaunchFailure", "which malloc and new in kernels did not give"},
      {16, "cudaSuccess", "of 'device heap', which nothing has written"},
  };
  for (std::size_t which = 0; which < mistakes.size(); ++which) {
    const Ended result = run("heap_mistakes", {std::to_string(which)});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, mistakes[which].error + "\n");
    EXPECT_THAT(result.errors, HasSubstr("heap_mistakes.cu:" + std::to_string(mistakes[which].line) + "\n"));
    EXPECT_THAT(result.errors, HasSubstr(mistakes[which].message));
  }
}

}  // namespace
}  // namespace lockstep::emulator
