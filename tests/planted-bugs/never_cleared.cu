// Sums are added to memory as cudaMalloc leaves it.
// expect: uninitialised-read
// says: which nothing has written
// asks: what should have written this before
#include "planted_bug.h"

template <bool kFixed>
__global__ void add_kernel(const int* values, int* sums) {
  sums[threadIdx.x] += values[threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  int* sums = nullptr;
  cudaMalloc(&sums, 64 * sizeof(int));
  if constexpr (kFixed) cudaMemset(sums, 0, 64 * sizeof(int));
  add_kernel<kFixed><<<1, 64>>>(values, sums);
  cudaFree(sums);
}
