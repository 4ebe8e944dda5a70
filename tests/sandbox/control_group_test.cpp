// A control group counts what no process maps, and is gone with its owner.
#include "sandbox/control_group.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

namespace lockstep::sandbox {
namespace {

constexpr std::size_t kLimit = std::size_t{32} << 20;

/// How a child of this process ends that joins the group and fills a file without a name, never mapped.
int status_of_child(const ControlGroup& group, std::size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    if (write(group.entry(), "0", 1) != 1) _exit(2);
    const int file = memfd_create("lockstep-test", MFD_CLOEXEC);
    const std::vector<char> piece(1 << 20, 'x');
    for (std::size_t written = 0; written < bytes; written += piece.size()) {
      if (write(file, piece.data(), piece.size()) < 0) _exit(3);
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(ControlGroup, EndsWhoFillsFilesThatNobodyMaps) {
  const auto group = ControlGroup::make(kLimit);
  if (group == nullptr) GTEST_SKIP() << "this process may not divide its control group";
  EXPECT_EQ(status_of_child(*group, kLimit / 2), 0);
  EXPECT_FALSE(group->has_run_out());
  const int status = status_of_child(*group, 2 * kLimit);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_TRUE(group->has_run_out());
}

TEST(ControlGroup, SeveralStandSideBySide) {
  const auto first = ControlGroup::make(kLimit);
  if (first == nullptr) GTEST_SKIP() << "this process may not divide its control group";
  const auto second = ControlGroup::make(kLimit);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(status_of_child(*first, 2 * kLimit), 0);
  EXPECT_TRUE(first->has_run_out());
  EXPECT_FALSE(second->has_run_out());
}

}  // namespace
}  // namespace lockstep::sandbox
