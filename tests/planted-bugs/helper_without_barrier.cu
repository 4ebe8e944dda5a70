// A step of a tree reduction in a helper, called by a lambda: the lines that are named are the helper's.
// expect: race
// says: with no __syncthreads() between
#include "planted_bug.h"

__device__ void add_partner(int* partial, unsigned stride) {
  if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];  // <- here and earlier
}

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum) {
  __shared__ int partial[256];
  partial[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  const auto step = [&](unsigned stride) {
    add_partner(partial, stride);
    if constexpr (kFixed) __syncthreads();
  };
  for (unsigned stride = 128; stride > 0; stride /= 2) step(stride);
  if (threadIdx.x == 0) *sum = partial[0];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(256), sum(1);
  std::vector<int> ones(256, 1);
  cudaMemcpy(values, ones.data(), values.bytes(), cudaMemcpyHostToDevice);
  sum_kernel<kFixed><<<1, 256>>>(values, sum);
}
