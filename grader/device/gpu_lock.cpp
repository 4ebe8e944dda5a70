#include "device/gpu_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

namespace lockstep::device {

GpuLock::GpuLock(const std::filesystem::path& node, const std::function<void()>& waiting)
    : node_(open(node.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!node_) throw std::system_error(errno, std::generic_category(), "opening " + node.string());
  if (flock(node_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK && waiting) waiting();
  while (flock(node_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "locking " + node.string());
  }
}

GpuLock::~GpuLock() {
  // Closing alone would leave the lock with a child of ours that has not come to its exec yet.
  if (node_) flock(node_.get(), LOCK_UN);
}

}  // namespace lockstep::device
