// The block's last warp has 16 threads, and the sum over a warp reads 32.
// expect: bad-sync
// says: takes no part in the shuffle
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum) {
  int value = values[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xFFFF'FFFF, value, distance);  // <- here
  }
  if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64), sum(1);
  sum_kernel<kFixed><<<1, kFixed ? 64 : 48>>>(values, sum);
}
