// A shuffle names all lanes in its mask and is called by half of them.
// expect: bad-sync
// says: takes no part in the shuffle
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum) {
  int value = values[threadIdx.x];
  if constexpr (kFixed) {
    const int other = __shfl_down_sync(0xFFFF'FFFF, value, 16);
    if (threadIdx.x < 16) value += other;
  } else if (threadIdx.x < 16) {
    value += __shfl_down_sync(0xFFFF'FFFF, value, 16);  // <- here
  }
  sum[threadIdx.x] = value;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32), sum(32);
  sum_kernel<kFixed><<<1, 32>>>(values, sum);
}
