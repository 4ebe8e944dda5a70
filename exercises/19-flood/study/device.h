// What the study keeps on the device and for it, and its own kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "lockstep/check_cuda.h"

namespace lockstep::flood_study {

/// Raises counts[i] to `count` wherever mask[i] is not 0, or everywhere where `mask` is null; both are device
/// memory of `cells` bytes.
void raise_counts(const unsigned char* mask, unsigned char* counts, std::size_t cells, unsigned char count,
                  cudaStream_t stream);

/// Host memory from which and to which copies run beside other work.
class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes) { CHECK_CUDA(cudaMallocHost(&bytes_, bytes)); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes() { cudaFreeHost(bytes_); }
  template <class T>
  T* as() const {
    return static_cast<T*>(bytes_);
  }

 private:
  void* bytes_ = nullptr;
};

class Stream {
 public:
  Stream() { CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }
  void wait() const { CHECK_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace lockstep::flood_study
