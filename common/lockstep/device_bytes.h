// Memory of the device that the programs round the exercises hold.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "lockstep/check_cuda.h"

namespace lockstep {

/// Given back at the end. Throws CudaError when there is not as much.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) { CHECK_CUDA(cudaMalloc(&bytes_, bytes)); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(bytes_); }
  /// The first of elements of type T.
  template <class T>
  T* as() const {
    return static_cast<T*>(bytes_);
  }

 private:
  void* bytes_ = nullptr;
};

}  // namespace lockstep
