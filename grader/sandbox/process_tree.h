// The processes that descend from one, found in /proc: what they use together, and an end to all of them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

namespace lockstep::sandbox {

/// Members are remembered by process number and start time, so one whose parent has died stays a member; so
/// does whatever is still in the session that `root` leads.
class ProcessTree {
 public:
  /// `root` is not counted, only what descends from it.
  explicit ProcessTree(pid_t root) : root_(root) {}

  struct Usage {
    std::size_t threads = 0;
    std::size_t memory_bytes = 0;  ///< resident, pages shared by two processes counted twice; page tables
    std::chrono::milliseconds processor_time{0};  ///< children that have been waited for included
  };
  /// Reads /proc once; costs a few microseconds for each process of the machine.
  Usage measure();

  /// Stops every member, until none is left that could fork, then sends SIGKILL to all. False when there was
  /// none.
  bool kill_all();

 private:
  pid_t root_;
  std::map<pid_t, std::uint64_t> members_;  ///< start time by process
};

}  // namespace lockstep::sandbox
