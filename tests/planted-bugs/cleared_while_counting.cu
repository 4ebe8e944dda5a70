// Block 0 clears a counter that the other blocks already add to.
// expect: race
// also: race
// says: in the same launch
// asks: every plain access of this element must be atomic
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(int* count) {
  if (!kFixed && blockIdx.x == 0 && threadIdx.x == 0) *count = 5;  // <- earlier
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, 1);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> count(1);
  count_kernel<kFixed><<<8, 32>>>(count);
}
