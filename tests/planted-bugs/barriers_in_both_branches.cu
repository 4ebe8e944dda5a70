// Each branch has a barrier of its own, and threads meet at different ones.
// expect: bad-sync
// says: wait at different barriers
#include "planted_bug.h"

template <bool kFixed>
__global__ void phases_kernel(int* values) {
  __shared__ int tile[64];
  tile[threadIdx.x] = values[threadIdx.x];
  if constexpr (kFixed) {
    __syncthreads();
    values[threadIdx.x] = threadIdx.x < 32 ? tile[threadIdx.x + 32] : -tile[threadIdx.x - 32];
  } else if (threadIdx.x < 32) {
    __syncthreads();  // <- earlier
    values[threadIdx.x] = tile[threadIdx.x + 32];
  } else {
    __syncthreads();  // <- here
    values[threadIdx.x] = -tile[threadIdx.x - 32];
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  phases_kernel<kFixed><<<1, 64>>>(values);
}
