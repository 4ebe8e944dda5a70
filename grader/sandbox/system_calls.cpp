#include "sandbox/system_calls.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "sandbox/file_descriptor.h"

namespace lockstep::sandbox {
namespace {

// By subject. Where a call came later than Linux 5.4, the library may not know its name yet.
constexpr const char* kAllowed[] = {
    // Files.
    "access", "chdir", "chmod", "chown", "close", "close_range", "copy_file_range", "creat", "dup", "dup2",
    "dup3", "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fchmod", "fchmodat", "fchown",
    "fchownat", "fcntl", "fdatasync", "fgetxattr", "flistxattr", "flock", "fstat", "fstatfs", "fsync",
    "ftruncate", "futimesat", "getcwd", "getdents", "getdents64", "getxattr", "ioctl", "lchown", "lgetxattr",
    "link", "linkat", "listxattr", "llistxattr", "lseek", "lstat", "mkdir", "mkdirat", "mknod", "mknodat",
    "newfstatat", "open", "openat", "openat2", "pipe", "pipe2", "pread64", "preadv", "preadv2", "pwrite64",
    "pwritev", "pwritev2", "read", "readahead", "readlink", "readlinkat", "readv", "rename", "renameat",
    "renameat2", "rmdir", "sendfile", "splice", "stat", "statfs", "statx", "symlink", "symlinkat", "sync",
    "sync_file_range", "syncfs", "tee", "truncate", "umask", "unlink", "unlinkat", "utime", "utimensat",
    "utimes", "write", "writev",
    // Memory.
    "brk", "get_mempolicy", "madvise", "mbind", "membarrier", "mincore", "mlock", "mlock2", "mlockall",
    "mmap", "mprotect", "mremap", "msync", "munlock", "munlockall", "munmap", "pkey_alloc", "pkey_free",
    "pkey_mprotect", "set_mempolicy",
    // Processes and threads; clone is below.
    "arch_prctl", "capget", "capset", "execve", "execveat", "exit", "exit_group", "fork", "futex",
    "futex_waitv", "get_robust_list", "get_thread_area", "getcpu", "getegid", "geteuid", "getgid",
    "getgroups", "getpgid", "getpgrp", "getpid", "getppid", "getpriority", "getresgid", "getresuid",
    "getrlimit", "getrusage", "getsid", "gettid", "getuid", "prctl", "prlimit64", "restart_syscall", "rseq",
    "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity", "sched_getattr",
    "sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_setaffinity", "sched_setattr",
    "sched_setparam", "sched_setscheduler", "sched_yield", "seccomp", "set_robust_list", "set_thread_area",
    "set_tid_address", "setfsgid", "setfsuid", "setgid", "setgroups", "setpgid", "setpriority", "setregid",
    "setresgid", "setresuid", "setreuid", "setrlimit", "setsid", "setuid", "vfork", "wait4", "waitid",
    // Signals.
    "kill", "pause", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn",
    "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sigaltstack", "signalfd", "signalfd4", "tgkill",
    "tkill",
    // Waiting and time.
    "alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "epoll_create", "epoll_create1", "epoll_ctl",
    "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "getitimer", "gettimeofday",
    "nanosleep", "poll", "ppoll", "pselect6", "select", "setitimer", "time", "timer_create", "timer_delete",
    "timer_getoverrun", "timer_gettime", "timer_settime", "timerfd_create", "timerfd_gettime",
    "timerfd_settime", "times",
    // Sockets that are open; socket and socketpair are below.
    "accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen", "recvfrom",
    "recvmmsg", "recvmsg", "sendmmsg", "sendmsg", "sendto", "setsockopt", "shutdown",
    // The machine.
    "getrandom", "sysinfo", "uname"};

// clone3 is left out, since a filter cannot look at what its argument points to: the C library then calls
// clone.
constexpr scmp_datum_t kNamespaces =
    CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS;

struct Release {
  void operator()(void* context) const { seccomp_release(context); }
};
using Filter = std::unique_ptr<void, Release>;

void check_filter(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

constexpr const char* kSegments[] = {"shmat", "shmctl", "shmdt", "shmget"};

void allow(const Filter& filter, const char* name) {
  const int number = seccomp_syscall_resolve_name(name);
  if (number != __NR_SCMP_ERROR)
    check_filter(seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 0), name);
}

Filter make_filter(bool segments) {
  Filter filter(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)));
  if (!filter) throw std::system_error(ENOMEM, std::generic_category(), "seccomp_init");
  for (const char* name : kAllowed) allow(filter, name);
  if (segments) {
    for (const char* name : kSegments) allow(filter, name);
  }
  const scmp_arg_cmp no_namespace{0, SCMP_CMP_MASKED_EQ, kNamespaces, 0};
  check_filter(seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, seccomp_syscall_resolve_name("clone"), 1,
                                      &no_namespace),
               "clone");
  const scmp_arg_cmp local{0, SCMP_CMP_EQ, AF_UNIX, 0}, other{0, SCMP_CMP_NE, AF_UNIX, 0};
  for (const char* name : {"socket", "socketpair"}) {
    const int number = seccomp_syscall_resolve_name(name);
    check_filter(seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, number, 1, &local), name);
    check_filter(seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), number, 1, &other), name);
  }
  return filter;
}

FileDescriptor filter_file(bool segments) {
  FileDescriptor file(memfd_create("lockstep-system-calls", MFD_CLOEXEC));
  if (!file) throw std::system_error(errno, std::generic_category(), "memfd_create");
  check_filter(seccomp_export_bpf(make_filter(segments).get(), file.get()), "seccomp_export_bpf");
  return file;
}

}  // namespace

int system_call_filter(const Command& command) {
  static const FileDescriptor file = filter_file(false), with_segments = filter_file(true);
  return (command.segments ? with_segments : file).get();
}

}  // namespace lockstep::sandbox
