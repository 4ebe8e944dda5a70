// CHECK_CUDA(call): throws when a call of the CUDA runtime fails, with the call, its place and the reason.
//
// A kernel launch returns nothing, so its failure is asked for: CHECK_CUDA(cudaGetLastError()) after the
// launch.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace lockstep {

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const char* call, const char* file, int line)
      : std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           cudaGetErrorName(code) + ", " + cudaGetErrorString(code)),
        code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

inline void check_cuda(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // reading the error clears it, so that the next call does not report it again
  throw CudaError(code, call, file, line);
}

}  // namespace lockstep

#define CHECK_CUDA(call) ::lockstep::check_cuda((call), #call, __FILE__, __LINE__)
