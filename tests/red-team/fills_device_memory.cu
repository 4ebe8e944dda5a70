// expect: crashed
// tries: Allocates device memory until there is none left for others.
// stopped by: The device grants a submission 1 GiB besides the judge's buffers.
// says: cudaErrorMemoryAllocation, out of memory
#include "lockstep/check_cuda.h"
#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  while (true) {
    void* memory = nullptr;
    CHECK_CUDA(cudaMalloc(&memory, std::size_t{64} << 20));
  }
}
