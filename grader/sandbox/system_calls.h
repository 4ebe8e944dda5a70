// The system calls that a sandboxed command may make, as a program of the kernel's filter (seccomp(2)).
#pragma once

#include "sandbox/sandbox.h"

namespace lockstep::sandbox {

/// A descriptor whose file holds the filter, as an array of sock_filter; made once, read with pread.
/// Compilers and CUDA programs find what they need. All else fails as on a kernel that does not have it
/// (ENOSYS), so that libraries fall back on what they did before: keyrings, io_uring, userfaultfd, bpf,
/// performance events, other processes' memory, further namespaces, sockets of any family but AF_UNIX, and
/// memory that no limit counts (files without a name; System V segments too, unless the command may have
/// them). Throws std::system_error.
int system_call_filter(const Command& command);

}  // namespace lockstep::sandbox
