// Blocks wait for the last one, which has no room on the device while they wait.
// expect: no-progress
// says: have not begun
// asks: does this block wait for one that has not begun?
#include "planted_bug.h"

template <bool kFixed>
__global__ void ordered_kernel(volatile int* ready) {
  if (threadIdx.x == 0) {
    const unsigned last = gridDim.x - 1;
    if (blockIdx.x == last) {
      *ready = 1;
    } else {
      while (*ready == 0) {  // <- here
      }
    }
  }
  __syncthreads();
}

template <bool kFixed>
void run() {
  DeviceArray<int> ready(1);
  ordered_kernel<kFixed><<<kFixed ? 4 : 64, 1024>>>(ready);
}
