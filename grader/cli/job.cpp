#include "cli/job.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <system_error>
#include <thread>

#include "sandbox/file_descriptor.h"
#include "sandbox/process_tree.h"

namespace lockstep::cli {
namespace {

constexpr int kCannotExecute = 127;  // as a shell says it

/// In the child. A session of its own: no key of the terminal reaches it, and output is never held back from
/// what runs in the background.
[[noreturn]] void become(const char* program, char* const* words, int nowhere, pid_t parent) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotExecute);  // it has ended before
  dup2(nowhere, STDIN_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(program, words);
  _exit(kCannotExecute);
}

/// Waits until this process has no child, which includes what its children have left behind. A process that
/// the kernel cannot end, as in a driver that hangs, is not waited for without end.
void wait_for_all() {
  constexpr std::chrono::seconds kLongest{5};
  constexpr std::chrono::milliseconds kPause{2};
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (std::chrono::steady_clock::now() < end) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno != EINTR) return;
    if (ended == 0) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

Job::Job() : program_(std::filesystem::read_symlink("/proc/self/exe")) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that it can be waited for what a job has left behind
}

Job::~Job() { cancel(); }

void Job::start(const std::vector<std::string>& arguments) {
  cancel();
  std::vector<std::string> texts = {program_.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  const sandbox::FileDescriptor nowhere(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::cout << std::flush;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become(program_.c_str(), words.data(), nowhere.get(), parent);
  process_ = child;
}

std::optional<int> Job::ended() {
  int wait_status = 0;
  std::optional<int> status;
  for (pid_t one = 0; (one = waitpid(-1, &wait_status, WNOHANG)) > 0;) {
    if (one != process_) continue;  // left behind by the job
    process_ = -1;
    status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  }
  return status;
}

void Job::cancel() {
  if (!runs()) return;
  // First it is stopped, or it would see the processes end that it has started, and start others.
  kill(process_, SIGSTOP);
  sandbox::ProcessTree(process_).kill_all();
  kill(process_, SIGKILL);
  process_ = -1;
  wait_for_all();
}

}  // namespace lockstep::cli
