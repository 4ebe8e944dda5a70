// One thread counts up in shared memory, and a thread of another warp reads the count with no barrier
// between.
// expect: race
// says: with no __syncthreads() between
#include "planted_bug.h"

__global__ void count_kernel(const int* values, int* counts, unsigned reader) {
  __shared__ int count;
  if (threadIdx.x == 0) count = values[0];
  __syncthreads();
  const int before = threadIdx.x == reader ? count : 0;  // <- here
  counts[threadIdx.x] = before;
  if (threadIdx.x == 0) count = values[1];  // <- earlier
  __syncthreads();
  counts[threadIdx.x] += count;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64), counts(64);
  count_kernel<<<1, 64>>>(values, counts, kFixed ? 0 : 32);
}
