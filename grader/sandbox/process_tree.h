// The processes that descend from one, found in /proc: what they use together, and an end to all of them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lockstep::sandbox {

struct ProcessStatus;

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
  /// Follows the kernel's lists of children, some 30 us for each process of the tree. At the first time, then
  /// every tenth, and where there are no such lists, it looks at all processes of the machine, some 15 us
  /// each: that finds whoever has left the tree and not the session.
  Usage measure();

  /// Stops every member, until none is left that could fork, then sends SIGKILL to all. False when there was
  /// none.
  bool kill_all();

 private:
  /// The root, the members and all that descends from them. Nothing where the kernel lists no children, or
  /// where a process has hundreds.
  std::optional<std::vector<ProcessStatus>> walk() const;
  /// Finds the members among some processes, and what they use.
  Usage count(const std::vector<ProcessStatus>& processes);

  pid_t root_;
  unsigned walks_left_ = 0;                 ///< before all processes are looked at
  std::map<pid_t, std::uint64_t> members_;  ///< start time by process
};

}  // namespace lockstep::sandbox
