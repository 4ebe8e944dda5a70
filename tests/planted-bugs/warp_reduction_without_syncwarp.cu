// The last steps of a reduction rely on lanes of a warp running in step, which they need not.
// expect: race
// says: with no __syncwarp() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum) {
  __shared__ int partial[32];
  const unsigned lane = threadIdx.x;
  partial[lane] = values[lane];
  __syncwarp();
#pragma unroll 1
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    if (lane < distance) partial[lane] += partial[lane + distance];  // <- here and earlier
    if constexpr (kFixed) __syncwarp();
  }
  if (lane == 0) *sum = partial[0];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32), sum(1);
  std::vector<int> ones(32, 1);
  cudaMemcpy(values, ones.data(), values.bytes(), cudaMemcpyHostToDevice);
  sum_kernel<kFixed><<<1, 32>>>(values, sum);
}
