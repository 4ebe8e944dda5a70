// The kernel's own account of what a sandbox holds, on machines that let this process divide its control
// group.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "sandbox/file_descriptor.h"

namespace lockstep::sandbox {

/// A control group (version 1 or 2) with a limit of memory: resident pages, memory files that nobody maps,
/// what the kernel itself holds for the processes, and the pages of their file systems. Processes in it that
/// need more are ended by the kernel. The destructor removes it, when its processes are gone.
class ControlGroup {
 public:
  /// Null where this process may not make groups, or may not move a child into them.
  static std::unique_ptr<ControlGroup> make(std::size_t memory_bytes);
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// A process that writes "0" here joins, and so do the processes that it starts from then on.
  int entry() const { return entry_.get(); }
  /// Whether the kernel has ended a process of the group because memory ran out.
  bool has_run_out() const;

 private:
  ControlGroup(std::filesystem::path folder, FileDescriptor entry);

  std::filesystem::path folder_;
  FileDescriptor entry_;
};

}  // namespace lockstep::sandbox
