// A step of a tree reduction reads sums of the step before, which another warp may not have written yet.
// expect: race
// says: with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum) {
  __shared__ int partial[256];
  partial[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  for (unsigned stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];  // <- here and earlier
    if constexpr (kFixed) __syncthreads();
  }
  if (threadIdx.x == 0) *sum = partial[0];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(256), sum(1);
  std::vector<int> ones(256, 1);
  cudaMemcpy(values, ones.data(), values.bytes(), cudaMemcpyHostToDevice);
  sum_kernel<kFixed><<<1, 256>>>(values, sum);
}
