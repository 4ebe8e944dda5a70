// What the supervisor in the judge and the keeper inside the sandbox say to each other: limits on the
// keeper's command line, reports through a pipe that the command does not inherit.
#pragma once

#include <cstdint>

namespace lockstep::sandbox {

/// Words of the keeper's command line before the command's own, after its own name.
enum KeeperArgument : int {
  kReportDescriptor = 1,
  kFilterDescriptor,  ///< of the command's system calls, as system_calls.h makes it
  kProcessorSeconds,
  kFileBytes,
  kProcesses,
  kOpenFiles,
  kUser,  ///< that the command runs as; 0: the keeper's own
  kWorkingDirectory,
  kInheritedDescriptors,  ///< those the command inherits besides 0, 1 and 2, as "3,4,"
  kFirstOfCommand,
};

struct KeeperReport {
  enum class Kind : std::uint32_t {
    started,   ///< the command has been executed
    refused,   ///< it could not be: `value` is errno
    finished,  ///< it ended: `value` is its wait status
  };
  Kind kind = Kind::started;
  std::int32_t value = 0;
  /// finished: resident, of the command or the largest process that it waited for
  std::uint64_t peak_memory_bytes = 0;
};

}  // namespace lockstep::sandbox
