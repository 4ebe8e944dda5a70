// After both rounds a thread waits once more, for a phase in which nobody arrives.
// expect: deadlock
// says: wait for mbarriers that no thread will complete
#include "planted_bug.h"

template <bool kFixed>
__global__ void rounds_kernel(int* values) {
  __shared__ __mbarrier_t arrived;
  if (threadIdx.x == 0) __mbarrier_init(&arrived, blockDim.x);
  __syncthreads();
  for (int round = 0; round < (kFixed ? 2 : 3); ++round) {
    if (round < 2) {
      values[threadIdx.x] += round;
      __mbarrier_arrive(&arrived);
    }
    while (!__mbarrier_test_wait_parity(&arrived, round % 2 != 0)) {  // <- here
    }
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  rounds_kernel<kFixed><<<1, 64>>>(values);
}
