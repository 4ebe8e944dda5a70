// expect: crashed
// says: cudaErrorMemoryAllocation, out of memory
// Allocates device memory until there is none left, and then reports the error.
#include "lockstep/check_cuda.h"
#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  while (true) {
    void* memory = nullptr;
    CHECK_CUDA(cudaMalloc(&memory, std::size_t{64} << 20));
  }
}
