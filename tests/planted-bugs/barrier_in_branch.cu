// Half of the warps take a barrier inside an if; the others are at the next one already.
// expect: bad-sync
// also: race
// says: wait at different barriers
// asks: Move the barrier out of it
#include "planted_bug.h"

template <bool kFixed>
__global__ void halves_kernel(int* values) {
  __shared__ int tile[128];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  int sum = 0;
  if (threadIdx.x < 64) {
    sum = tile[threadIdx.x] + tile[threadIdx.x + 64];
    if constexpr (!kFixed) __syncthreads();  // <- earlier
  }
  if constexpr (kFixed) __syncthreads();
  tile[threadIdx.x] = sum;
  __syncthreads();  // <- here
  values[threadIdx.x] = tile[127 - threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(128);
  halves_kernel<kFixed><<<1, 128>>>(values);
}
