// Lanes of one warp part, and only one half takes the barrier.
// expect: bad-sync
// says: wait at different barriers
#include "planted_bug.h"

template <bool kFixed>
__global__ void halves_kernel(int* values) {
  __shared__ int tile[32];
  tile[threadIdx.x] = values[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    tile[threadIdx.x] += 1;
    if constexpr (!kFixed) __syncthreads();  // <- earlier
    values[threadIdx.x] = tile[threadIdx.x];
  }
  __syncthreads();  // <- here
  values[threadIdx.x] += tile[31 - threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32);
  halves_kernel<kFixed><<<1, 32>>>(values);
}
