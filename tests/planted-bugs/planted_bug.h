// What every planted bug starts from: arrays on the device, and nothing that hides the mistake.
#pragma once

#include <cooperative_groups.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#include <cassert>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Zeroed memory on the device, freed at the end of its scope. Calls are not checked: the bugs are those of
/// programs that do not look.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n) : n_(n) {
    cudaMalloc(&data_, n * sizeof(T));
    cudaMemset(data_, 0, n * sizeof(T));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  operator T*() const { return data_; }  // NOLINT: kernels take it as the pointer that it is
  std::size_t bytes() const { return n_ * sizeof(T); }

 private:
  std::size_t n_;
  T* data_ = nullptr;
};
