// Processes of a tree are counted between two looks at the whole machine, and those that leave it at the
// next.
#include "sandbox/process_tree.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace lockstep::sandbox {
namespace {

/// A process that leads a session, keeps orphans if it is to, and does a piece of work each time that it is
/// told to. Whatever it has started ends with the test.
class Root {
 public:
  explicit Root(bool keeps_orphans) {
    if (pipe(order_) != 0 || pipe(done_) != 0) throw std::runtime_error("pipe");
    process_ = fork();
    if (process_ != 0) return;
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (keeps_orphans) prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (char what; read(order_[0], &what, 1) == 1;) {
      if (what == 'c') start([] { pause(); });
      if (what == 'o') {
        start([] { start([] { pause(); }); });
        wait(nullptr);
      }
      if (write(done_[1], &what, 1) != 1) break;
    }
    _exit(0);
  }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  ~Root() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    for (const int end : {order_[0], order_[1], done_[0], done_[1]}) close(end);
  }

  pid_t process() const { return process_; }
  /// 'c': starts a child; 'o': starts one that starts another and ends.
  void tell(char what) {
    ASSERT_EQ(write(order_[1], &what, 1), 1);
    ASSERT_EQ(read(done_[0], &what, 1), 1);
  }

 private:
  static void start(const std::function<void()>& work) {
    if (fork() != 0) return;
    prctl(PR_SET_PDEATHSIG, 0);
    work();
    _exit(0);
  }

  pid_t process_ = 0;
  int order_[2] = {}, done_[2] = {};
};

constexpr int kSeveral = 25;  // more than come between two looks at all processes

TEST(ProcessTree, CountsWhatDescendsAtEveryMeasurement) {
  Root root(true);
  ProcessTree tree(root.process());
  EXPECT_EQ(tree.measure().threads, 0U);
  for (std::size_t children = 1; children <= 3; ++children) {
    root.tell('c');
    EXPECT_EQ(tree.measure().threads, children) << "right after it was started";
  }
  for (int i = 0; i < kSeveral; ++i) {
    const ProcessTree::Usage usage = tree.measure();
    EXPECT_EQ(usage.threads, 3U);
    EXPECT_GT(usage.memory_bytes, 0U);
  }
  EXPECT_TRUE(tree.kill_all());
}

TEST(ProcessTree, CountsAllOfMoreChildrenThanAreListedAtOnce) {
  Root root(true);
  ProcessTree tree(root.process());
  tree.measure();
  constexpr std::size_t kChildren = 1000;  // the kernel hands a list over in pieces of 4096 bytes
  for (std::size_t child = 0; child < kChildren; ++child) root.tell('c');
  EXPECT_EQ(tree.measure().threads, kChildren);
  EXPECT_TRUE(tree.kill_all());
}

TEST(ProcessTree, CountsOrphansThatComeToItsRootAtOnce) {
  Root root(true);
  ProcessTree tree(root.process());
  tree.measure();
  root.tell('o');
  EXPECT_EQ(tree.measure().threads, 1U);
  EXPECT_TRUE(tree.kill_all());
}

TEST(ProcessTree, FindsOrphansOfItsSessionBeforeLong) {
  Root root(false);
  ProcessTree tree(root.process());
  tree.measure();
  root.tell('o');
  std::size_t found = 0;
  for (int i = 0; i < kSeveral && found == 0; ++i) found = tree.measure().threads;
  EXPECT_EQ(found, 1U);
  EXPECT_EQ(tree.measure().threads, 1U) << "a member stays one";
  EXPECT_TRUE(tree.kill_all());
}

TEST(ProcessTree, KillsWhomNoMeasurementHasSeen) {
  Root root(false);
  ProcessTree tree(root.process());
  tree.measure();
  root.tell('o');
  root.tell('c');
  EXPECT_TRUE(tree.kill_all());
  for (int i = 0; i < kSeveral && tree.measure().threads != 0; ++i) usleep(10'000);
  EXPECT_EQ(tree.measure().threads, 0U);
}

}  // namespace
}  // namespace lockstep::sandbox
