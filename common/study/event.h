// A moment on the device, as case studies use it to wait and to time.
#pragma once

#include <cuda_runtime_api.h>

#include "lockstep/check_cuda.h"

namespace lockstep::study {

/// Given back at the end. All calls throw CudaError.
class Event {
 public:
  Event() { CHECK_CUDA(cudaEventCreate(&event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(cudaStream_t stream = nullptr) const { CHECK_CUDA(cudaEventRecord(event_, stream)); }
  /// For what was recorded last; at once where nothing was.
  void wait() const { CHECK_CUDA(cudaEventSynchronize(event_)); }
  /// Milliseconds from another to this one, both of which have been waited for.
  float since(const Event& other) const {
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, other.event_, event_));
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace lockstep::study
