// All threads add to one counter of the block with a plain ++.
// expect: race
// also: race
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(const int* values, int* count) {
  __shared__ int positive;
  if (threadIdx.x == 0) positive = 0;
  __syncthreads();
  if (values[threadIdx.x] > 0) {
    if constexpr (kFixed) {
      atomicAdd(&positive, 1);
    } else {
      ++positive;  // <- here and earlier
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *count = positive;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64), count(1);
  std::vector<int> ones(64, 1);
  cudaMemcpy(values, ones.data(), values.bytes(), cudaMemcpyHostToDevice);
  count_kernel<kFixed><<<1, 64>>>(values, count);
}
