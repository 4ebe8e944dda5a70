// A block's counter in shared memory is counted up, and nothing sets it to 0.
// expect: uninitialised-read
// says: of the block's shared memory, which no thread of the block has written
// asks: shared memory begins with anything
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(const int* values, int* counts) {
  __shared__ int positive;
  if constexpr (kFixed) {
    if (threadIdx.x == 0) positive = 0;
    __syncthreads();
  }
  if (values[threadIdx.x] >= 0) atomicAdd(&positive, 1);  // <- here
  __syncthreads();
  if (threadIdx.x == 0) *counts = positive;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64), counts(1);
  count_kernel<kFixed><<<1, 64>>>(values, counts);
}
