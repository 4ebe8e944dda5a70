// lockstep-keeper: the first process in a sandbox. Sets the limits that a process sets on itself, starts the
// command, reaps every orphan, and reports exactly how the command ended. Trusted, but holds nothing worth
// reading.
//
// With namespaces it is process 1 of its own: signals from the command cannot touch it, and when it exits the
// kernel ends everything else. Without, it is the subreaper that orphans fall to, so that the supervisor
// finds them.
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "sandbox/keeper_protocol.h"

namespace {

using lockstep::sandbox::KeeperReport;

constexpr int kUsageError = 125;
constexpr int kNiceness = 10;
constexpr unsigned kLongestWait = 60;  // in seconds

bool report(int descriptor, const KeeperReport& message) {
  return write(descriptor, &message, sizeof message) == static_cast<ssize_t>(sizeof message);
}

void limit(int resource, rlim_t soft, rlim_t hard) {
  // An inherited hard limit that is lower still holds, so a refusal to raise it is no error.
  const rlimit value{soft, hard};
  setrlimit(static_cast<__rlimit_resource>(resource), &value);
}

void set_limits(char** arguments) {
  namespace sandbox = lockstep::sandbox;
  const auto number = [arguments](int which) { return std::strtoull(arguments[which], nullptr, 10); };
  // One second past the supervisor's own sum, which gives the better message.
  limit(RLIMIT_CPU, number(sandbox::kProcessorSeconds) + 1, number(sandbox::kProcessorSeconds) + 2);
  limit(RLIMIT_FSIZE, number(sandbox::kFileBytes), number(sandbox::kFileBytes));
  limit(RLIMIT_NOFILE, number(sandbox::kOpenFiles), number(sandbox::kOpenFiles));
  // One byte, not none: the value at which Linux also leaves out core dumps that go to a program.
  limit(RLIMIT_CORE, 1, 1);
}

void restore_signals() {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Everything from 3 on closes when the command is executed, except what it is to inherit.
bool choose_descriptors(const char* inherited) {
  if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;  // Linux before 5.11
  for (const char* at = inherited; *at >= '0' && *at <= '9';) {
    char* end = nullptr;
    fcntl(static_cast<int>(std::strtol(at, &end, 10)), F_SETFD, 0);
    at = end + 1;  // a comma follows each
  }
  return true;
}

// Root's user is exempt from RLIMIT_NPROC and owns the machine's files, so the command of a judge that is
// root gets another, where there is another. From here on the keeper and the command are strangers.
bool change_user(unsigned long user) {
  return user == 0 ||
         (setgroups(0, nullptr) == 0 &&
          setresgid(static_cast<gid_t>(user), static_cast<gid_t>(user), static_cast<gid_t>(user)) == 0 &&
          setresuid(static_cast<uid_t>(user), static_cast<uid_t>(user), static_cast<uid_t>(user)) == 0);
}

// RLIMIT_NPROC counts all threads of a user, in a user namespace only those within. How many there are
// already is not known, so the limit doubles until a fork succeeds, and then leaves room for the command.
void limit_processes(rlim_t processes) {
  for (rlim_t total = processes; total < rlim_t{1} << 30; total *= 2) {
    rlimit before{};
    getrlimit(RLIMIT_NPROC, &before);
    const rlimit trial{std::min(total, before.rlim_max), before.rlim_max};
    setrlimit(RLIMIT_NPROC, &trial);
    if (total > before.rlim_max) return;  // the limit that holds already is the lower one
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0) continue;
    waitpid(child, nullptr, 0);
    limit(RLIMIT_NPROC, total + processes, total + processes);
    return;
  }
}

// From here on the command's system calls are those that the filter allows. Where the kernel offers it, the
// processor keeps speculating past stores as for any other process: the command's memory holds nothing of
// ours.
bool limit_system_calls(int filter) {
  std::array<sock_filter, BPF_MAXINSNS> instructions;
  const ssize_t bytes = pread(filter, instructions.data(), sizeof instructions, 0);
  if (bytes == 0) errno = ENODATA;
  if (bytes <= 0) return false;
  const sock_fprog program{static_cast<unsigned short>(bytes / sizeof(sock_filter)), instructions.data()};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

[[noreturn]] void become_command(int error_pipe, char** arguments) {
  namespace sandbox = lockstep::sandbox;
  set_limits(arguments);
  // Whoever watches the command must get the processor when the command fills it.
  setpriority(PRIO_PROCESS, 0, kNiceness);
  if (change_user(std::strtoul(arguments[sandbox::kUser], nullptr, 10)) &&
      chdir(arguments[sandbox::kWorkingDirectory]) == 0) {
    limit_processes(std::strtoul(arguments[sandbox::kProcesses], nullptr, 10));
    if (limit_system_calls(std::atoi(arguments[sandbox::kFilterDescriptor])))
      execv(arguments[sandbox::kFirstOfCommand], arguments + sandbox::kFirstOfCommand);
  }
  const int error = errno;
  // When even this fails the keeper reads the end of the pipe and then sees the exit status.
  if (write(error_pipe, &error, sizeof error) < 0) _exit(kUsageError);
  _exit(kUsageError);
}

/// Runs the command, and reports how it ended; returns the keeper's own exit status.
int keep(int count, char** arguments) {
  if (count <= lockstep::sandbox::kFirstOfCommand) return kUsageError;
  const int reports = std::atoi(arguments[lockstep::sandbox::kReportDescriptor]);

  // Not dumpable: the command runs as the same user and must not open the keeper's descriptors through /proc.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  restore_signals();
  if (!choose_descriptors(arguments[lockstep::sandbox::kInheritedDescriptors])) {
    report(reports, {KeeperReport::Kind::refused, errno, 0});
    return kUsageError;
  }

  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) return kUsageError;
  const pid_t command = fork();
  if (command == 0) become_command(error_pipe[1], arguments);
  close(error_pipe[1]);
  int error = command < 0 ? errno : 0;
  if (command > 0 && read(error_pipe[0], &error, sizeof error) < 0) error = errno;
  close(error_pipe[0]);
  if (error != 0) {
    report(reports, {KeeperReport::Kind::refused, error, 0});
    return kUsageError;
  }
  // What the command inherits is its own: whoever is at the other end must notice when the command closes it.
  if (reports > 3) close_range(3, static_cast<unsigned>(reports) - 1, 0);
  close_range(static_cast<unsigned>(reports) + 1, ~0U, 0);
  if (!report(reports, {KeeperReport::Kind::started, 0, 0})) return kUsageError;

  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t ended = wait4(-1, &status, 0, &usage);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return 0;  // nothing is left
    if (ended != command) continue;
    const auto peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    if (!report(reports, {KeeperReport::Kind::finished, status, peak})) return kUsageError;
    if (getpid() == 1) {
      // The supervisor may not have taken hold of this process yet, when the command was quick. It ends the
      // whole namespace as soon as it has read the report.
      sleep(kLongestWait);
      return 0;
    }
  }
}

}  // namespace

// Without exit handlers: the supervisor ends whatever one of them would start, such as a sanitizer's search
// for leaks, and the handler would wait for that without end.
int main(int count, char** arguments) { _exit(keep(count, arguments)); }
