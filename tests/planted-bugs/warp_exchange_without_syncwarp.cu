// Lanes pass values to their neighbours through shared memory without __syncwarp().
// expect: race
// says: with no __syncwarp() between
// asks: where only threads of one warp share the memory, a `__syncwarp()`
// reports: with no barrier between these threads of one warp
#include "planted_bug.h"

template <bool kFixed>
__global__ void rotate_kernel(int* values) {
  __shared__ int slots[32];
  slots[threadIdx.x] = values[threadIdx.x];  // <- earlier
  if constexpr (kFixed) __syncwarp();
  values[threadIdx.x] = slots[(threadIdx.x + 1) % 32];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32);
  rotate_kernel<kFixed><<<1, 32>>>(values);
}
