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
      "read of 4 bytes just past the end of 'pinned host memory' (16 bytes)"};
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const Ended result = run("unreachable_host", {std::to_string(i)});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, "refused\n");
    EXPECT_THAT(result.errors, HasSubstr(sentences[i]));
  }
}

}  // namespace
}  // namespace lockstep::emulator
