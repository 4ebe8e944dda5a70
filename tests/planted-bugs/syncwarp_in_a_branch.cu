// __syncwarp() waits for all lanes, and half of them have gone another way.
// expect: bad-sync
// says: which must take part and are elsewhere
#include "planted_bug.h"

template <bool kFixed>
__global__ void pairs_kernel(int* values) {
  __shared__ int slots[32];
  slots[threadIdx.x] = values[threadIdx.x];
  if constexpr (kFixed) __syncwarp();
  if (threadIdx.x < 16) {
    if constexpr (!kFixed) __syncwarp();  // <- here
    values[threadIdx.x] = slots[threadIdx.x + 16];
  }
  __syncthreads();
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32);
  pairs_kernel<kFixed><<<1, 32>>>(values);
}
