// A warp hands a value to another one by a volatile flag, with no fence of the block before the flag.
// expect: race
// says: with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void hand_over_kernel(int* value, volatile int* ready, int* result) {
  if (threadIdx.x == 0) {
    *value = 42;  // <- earlier
    if constexpr (kFixed) __threadfence_block();
    *ready = 1;
  }
  if (threadIdx.x == 32) {
    while (*ready == 0) {
    }
    if constexpr (kFixed) __threadfence_block();
    *result = *value;  // <- here
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> value(1), ready(1), result(1);
  hand_over_kernel<kFixed><<<1, 64>>>(value, ready, result);
}
