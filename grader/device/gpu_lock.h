// One judgement at a time on a GPU: a lock that every other judge respects, whoever runs it and from
// wherever.
//
// It is flock(LOCK_EX) on the GPU's own device node, opened for reading. Nothing is left behind, whoever may
// use the GPU may lock it, and the kernel takes the lock back however its holder ends. A submission is given
// the same node, but cannot keep the next judgement waiting: it lives only while its judge holds the lock, it
// does not inherit the descriptor, and a lock that it asks for itself is not granted before it has ended.
// Bound: containers with device nodes of their own do not see each other's locks.
#pragma once

#include <filesystem>
#include <functional>

#include "sandbox/file_descriptor.h"

namespace lockstep::device {

class GpuLock {
 public:
  /// Holds nothing.
  GpuLock() = default;
  /// Waits until nobody else holds the lock on `node`, then holds it. Calls `waiting`, which may be empty, if
  /// it must wait. A second lock of the same process waits as any other does. Throws std::system_error when
  /// the node cannot be opened or locked.
  explicit GpuLock(const std::filesystem::path& node, const std::function<void()>& waiting = {});
  GpuLock(GpuLock&&) noexcept = default;
  GpuLock& operator=(GpuLock&&) = delete;
  ~GpuLock();

 private:
  sandbox::FileDescriptor node_;
};

}  // namespace lockstep::device
