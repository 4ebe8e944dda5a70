// Threads go through a loop with a barrier a different number of times.
// expect: bad-sync
// says: wait at different barriers
#include "planted_bug.h"

template <bool kFixed>
__global__ void chunks_kernel(const int* values, int* sums, int n) {
  __shared__ int tile[64];
  int sum = 0;
  const int rounded = kFixed ? (n + 63) / 64 * 64 : n;
  for (int i = static_cast<int>(threadIdx.x); i < rounded; i += 64) {
    tile[threadIdx.x] = i < n ? values[i] : 0;
    __syncthreads();  // <- earlier
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  tile[threadIdx.x] = sum;
  __syncthreads();  // <- here
  sums[threadIdx.x] = tile[0] + sum;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(160), sums(64);
  chunks_kernel<kFixed><<<1, 64>>>(values, sums, 160);
}
