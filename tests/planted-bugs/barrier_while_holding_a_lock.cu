// A thread that holds the lock waits at the block's barrier for threads that wait for the lock.
// expect: no-progress
// says: nothing changes any more
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(int* lock, int* count) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {  // <- here
    }
    __threadfence();
    *count += 1;
    if constexpr (!kFixed) __syncthreads();
    __threadfence();
    atomicExch(lock, 0);
  }
  __syncthreads();
}

template <bool kFixed>
void run() {
  DeviceArray<int> lock(1), count(1);
  count_kernel<kFixed><<<1, 64>>>(lock, count);
}
