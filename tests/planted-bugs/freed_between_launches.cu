// A second kernel still uses what the first one's caller has freed.
// expect: out-of-bounds
// says: read of 4 bytes of an allocation (256 bytes) after it was freed
#include "planted_bug.h"

template <bool kFixed>
__global__ void copy_kernel(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  int *first = nullptr, *second = nullptr, *third = nullptr;
  cudaMalloc(&first, 64 * sizeof(int));
  cudaMalloc(&second, 64 * sizeof(int));
  cudaMalloc(&third, 64 * sizeof(int));
  cudaMemset(first, 0, 64 * sizeof(int));
  copy_kernel<kFixed><<<1, 64>>>(first, second);
  if constexpr (!kFixed) cudaFree(second);
  copy_kernel<kFixed><<<1, 64>>>(second, third);
  if constexpr (kFixed) cudaFree(second);
  cudaFree(first);
  cudaFree(third);
}
