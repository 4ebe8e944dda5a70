#include "emulator/server/protections.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

namespace lockstep::emulator::server {

namespace {

constexpr const char* kAllowed[] = {
    // Connections.
    "close", "poll", "ppoll", "read", "readv", "recvfrom", "recvmsg", "sendmsg", "sendto", "write", "writev",
    // Memory; mmap and mprotect are below.
    "brk", "madvise", "mremap", "munmap",
    // Threads; clone is below.
    "exit", "futex", "futex_waitv", "get_robust_list", "getpid", "gettid", "membarrier", "rseq",
    "rt_sigprocmask", "sched_getaffinity", "sched_yield", "set_robust_list", "set_tid_address", "sigaltstack",
    // Time.
    "clock_getres", "clock_gettime", "clock_nanosleep", "gettimeofday", "nanosleep", "restart_syscall",
    // The end: abort() signals its own thread, which cannot be told from another by its number.
    "exit_group", "rt_sigaction", "rt_sigreturn", "tgkill",
    // Seeds of hash tables and of malloc.
    "getrandom"};

void check_seccomp(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

struct Release {
  void operator()(void* context) const { seccomp_release(context); }
};

}  // namespace

void protect_process() {
  // Before the process is made undumpable, which gives its files below /proc to root.
  constexpr std::string_view kFirstToGo = "1000";
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(file, kFirstToGo.data(), kFirstToGo.size());
    ::close(file);
  }
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void limit_system_calls() {
#ifndef __SANITIZE_ADDRESS__  // whose runtime reads /proc and starts a process to look for leaks
  const std::unique_ptr<void, Release> filter(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)));
  if (!filter) throw std::system_error(ENOMEM, std::generic_category(), "seccomp_init");
  for (const char* name : kAllowed) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) continue;  // newer than the library
    check_seccomp(seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 0), name);
  }
  const scmp_arg_cmp no_code{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0};
  for (const char* name : {"mmap", "mprotect"}) {
    check_seccomp(
        seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(name), 1, &no_code),
        name);
  }
  // Threads and no processes. clone3, whose flags a filter cannot see, is left out: the C library then calls
  // clone.
  const scmp_arg_cmp thread{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD};
  check_seccomp(
      seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, seccomp_syscall_resolve_name("clone"), 1, &thread),
      "clone");
  check_seccomp(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1), "all threads");
  // The processor keeps speculating past stores: the interpreter would be slower, and nothing secret is here.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_SSB, 1);  // without effect before Linux 4.17
  check_seccomp(seccomp_load(filter.get()), "seccomp_load");
#endif
}

}  // namespace lockstep::emulator::server
