// cudaMemset is given the number of elements: a quarter is cleared.
// expect: uninitialised-read
// says: read of byte 64 of global memory, which nothing has written
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(int* counts) {
  atomicAdd(&counts[threadIdx.x], 1);  // <- here
}

template <bool kFixed>
void run() {
  int* counts = nullptr;
  cudaMalloc(&counts, 64 * sizeof(int));
  cudaMemset(counts, 0, kFixed ? 64 * sizeof(int) : 64);
  count_kernel<kFixed><<<1, 64>>>(counts);
  cudaFree(counts);
}
