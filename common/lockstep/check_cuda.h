// CHECK_CUDA(call): throws when a call of the CUDA runtime fails, with the call, its place and the reason.
//
// A kernel launch returns nothing, so its failure is asked for: CHECK_CUDA(cudaGetLastError()) after the
// launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <new>  // with std::exception, the base of bad_alloc; <exception> has compilers read <type_traits> too

namespace lockstep {

class CudaError : public std::exception {
 public:
  CudaError(cudaError_t code, const char* call, const char* file, int line) noexcept : code_(code) {
    std::snprintf(what_, sizeof what_, "%s:%d: %s: %s, %s", file, line, call, cudaGetErrorName(code),
                  cudaGetErrorString(code));
  }
  cudaError_t code() const noexcept { return code_; }
  const char* what() const noexcept override { return what_; }

 private:
  cudaError_t code_;
  char what_[1024];  // not a string, whose header alone doubles the time that a submission takes to compile
};

inline void check_cuda(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // reading the error clears it, so that the next call does not report it again
  throw CudaError(code, call, file, line);
}

}  // namespace lockstep

#define CHECK_CUDA(call) ::lockstep::check_cuda((call), #call, __FILE__, __LINE__)
