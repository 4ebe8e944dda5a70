// The lock that keeps judgements on one GPU apart, on an ordinary file: what locks it is another process.
#include "device/gpu_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <system_error>

#include "sandbox/temporary_folder.h"

namespace lockstep::device {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Lock : public testing::Test {
 protected:
  Lock() { std::ofstream{node_}; }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-test-"};
  fs::path node_ = folder_.path() / "nvidia0";
};

/// A process of its own that holds a lock until it is killed.
class OtherJudge {
 public:
  explicit OtherJudge(const fs::path& node) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const GpuLock lock(node);
      if (write(ends[1], "!", 1) != 1) _exit(1);
      while (true) pause();
    }
    char word = 0;
    EXPECT_EQ(read(ends[0], &word, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  ~OtherJudge() { kill(); }
  OtherJudge(const OtherJudge&) = delete;
  OtherJudge& operator=(const OtherJudge&) = delete;

  void kill() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  pid_t process_ = -1;
};

TEST_F(Lock, IsHadAtOnceWhenNobodyHoldsIt) {
  for (int time = 0; time < 3; ++time) {
    const GpuLock lock(node_, [] { FAIL() << "it waited"; });
  }
}

TEST_F(Lock, WaitsForAnotherProcessAndIsHadWhenThatIsKilled) {
  OtherJudge other(node_);
  std::promise<void> waiting;
  std::atomic<bool> had = false;
  std::future<void> second = std::async(std::launch::async, [&] {
    const GpuLock lock(node_, [&] { waiting.set_value(); });
    had = true;
  });
  ASSERT_EQ(waiting.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_EQ(second.wait_for(100ms), std::future_status::timeout);
  EXPECT_FALSE(had);
  other.kill();
  EXPECT_EQ(second.wait_for(10s), std::future_status::ready);
  EXPECT_TRUE(had);
}

TEST_F(Lock, IsGivenBackAlthoughAForkedChildStillHasItsDescriptor) {
  pid_t child = -1;
  {
    const GpuLock lock(node_);
    child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (true) pause();
    }
  }
  const GpuLock again(node_, [] { ADD_FAILURE() << "the child keeps the lock"; });
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(Lock, IsNotInheritedByAProgram) {
  const GpuLock lock(node_);
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code closed;  // the iterator's own descriptor
    if (fs::read_symlink(entry.path(), closed) != node_) continue;
    ++found;
    EXPECT_NE(fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_EQ(found, 1);
}

TEST_F(Lock, GoesAlongWithAMove) {
  GpuLock first(node_);
  std::future<void> second;
  {
    const GpuLock moved(std::move(first));
    std::promise<void> waiting;
    second = std::async(std::launch::async, [&] { const GpuLock lock(node_, [&] { waiting.set_value(); }); });
    EXPECT_EQ(waiting.get_future().wait_for(10s), std::future_status::ready);
  }
  EXPECT_EQ(second.wait_for(10s), std::future_status::ready);
}

TEST_F(Lock, NeedsNoRightToWriteAndLeavesNothing) {
  fs::permissions(node_, fs::perms::owner_read);
  { const GpuLock lock(node_); }
  EXPECT_EQ(fs::file_size(node_), 0U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(Lock, NamesANodeThatIsNotThere) {
  fs::remove(node_);
  try {
    const GpuLock lock(node_);
    FAIL() << "something was locked";
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(node_.string()));
  }
}

}  // namespace
}  // namespace lockstep::device
