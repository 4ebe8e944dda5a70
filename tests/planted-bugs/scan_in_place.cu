// A scan reads its left neighbour and writes its own place in one step: some warps read what others have
// written already.
// expect: race
// also: race
// says: with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void scan_kernel(int* values) {
  __shared__ int sums[128];
  const unsigned i = threadIdx.x;
  sums[i] = values[i];
  __syncthreads();
  for (unsigned distance = 1; distance < 128; distance *= 2) {
    const int left = i >= distance ? sums[i - distance] : 0;  // <- here
    if constexpr (kFixed) __syncthreads();
    sums[i] += left;  // <- earlier
    __syncthreads();
  }
  values[i] = sums[i];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(128);
  std::vector<int> ones(128, 1);
  cudaMemcpy(values, ones.data(), values.bytes(), cudaMemcpyHostToDevice);
  scan_kernel<kFixed><<<1, 128>>>(values);
}
