// The lane that holds the lock waits for its warp, and the warp waits for the lock.
// expect: no-progress
// says: nothing changes any more
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {  // <- here
      __threadfence();
      *count += 1;
      if constexpr (!kFixed) __syncwarp();
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> lock(1), count(1);
  count_kernel<kFixed><<<1, 32>>>(lock, count);
}
