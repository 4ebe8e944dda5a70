// A thread waits for a flag that nobody sets.
// expect: no-progress
// says: nothing changes any more
// asks: what should let the code go on from here?
#include "planted_bug.h"

template <bool kFixed>
__global__ void wait_kernel(volatile int* ready, int* values) {
  if (threadIdx.x == 32) {
    values[0] = 1;
    __threadfence();
    if constexpr (kFixed) *ready = 1;
  }
  if (threadIdx.x == 0) {
    while (*ready == 0) {  // <- here
    }
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> ready(1), values(1);
  wait_kernel<kFixed><<<1, 64>>>(ready, values);
}
