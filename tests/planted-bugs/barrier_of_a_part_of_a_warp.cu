// A named barrier is given a count of threads that is no multiple of 32.
// expect: bad-sync
// says: 48 threads
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(int* values) {
  if (threadIdx.x < (kFixed ? 64 : 48)) {
    asm volatile("bar.sync 1, %0;" ::"r"(kFixed ? 64 : 48) : "memory");  // <- here
  }
  values[threadIdx.x] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(128);
  count_kernel<kFixed><<<1, 128>>>(values);
}
