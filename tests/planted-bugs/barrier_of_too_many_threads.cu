// A named barrier waits for more threads than ever come.
// expect: deadlock
// says: waits for 128 threads
#include "planted_bug.h"

template <bool kFixed>
__global__ void halves_kernel(int* values) {
  if (threadIdx.x < 64) {
    asm volatile("bar.sync 1, %0;" ::"r"(kFixed ? 64 : 128) : "memory");  // <- here
  }
  values[threadIdx.x] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(128);
  halves_kernel<kFixed><<<1, 128>>>(values);
}
