// Every block adds its count to one number with a plain +=.
// expect: race
// also: race
// says: in the same launch
// asks: `atomicAdd(&element, value)`
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(int* count) {
  if (threadIdx.x == 0) {
    if constexpr (kFixed) {
      atomicAdd(count, 2);
    } else {
      *count += 2;  // <- here and earlier
    }
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> count(1);
  count_kernel<kFixed><<<8, 32>>>(count);
}
