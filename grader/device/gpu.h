// The GPU that judges: which one, what it is called, and a context on it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "device/cuda_driver.h"

namespace lockstep::device {

class Gpu {
 public:
  /// The first GPU that the driver offers, with its primary context current in this thread. Throws
  /// DriverError.
  Gpu();

  CUdevice device() const { return device_; }
  const std::string& name() const { return name_; }
  /// As in "GPU-1f9a…", which CUDA_VISIBLE_DEVICES takes.
  const std::string& uuid() const { return uuid_; }
  int compute_capability() const { return compute_capability_; }  ///< 90 for 9.0
  int multiprocessors() const { return multiprocessors_; }
  std::size_t l2_bytes() const { return l2_bytes_; }
  std::size_t free_bytes() const;
  int attribute(CUdevice_attribute which) const;
  /// Device nodes that a program needs to use this GPU and no other.
  std::vector<std::filesystem::path> device_nodes() const;
  /// Its own node, such as /dev/nvidia0; the first of all GPUs where the driver does not say which it is.
  /// Throws DriverError when there is none.
  std::filesystem::path node() const;

 private:
  CUdevice device_ = 0;
  std::string name_, uuid_;
  int compute_capability_ = 0, multiprocessors_ = 0;
  std::size_t l2_bytes_ = 0;
};

}  // namespace lockstep::device
