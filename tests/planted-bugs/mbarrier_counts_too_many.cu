// An mbarrier waits for all threads of the block, and some return before they arrive.
// expect: deadlock
// says: still waits for 16 arrivals
// asks: Move the barrier out of it
#include "planted_bug.h"

template <bool kFixed>
__global__ void meet_kernel(int* values, unsigned n) {
  __shared__ __mbarrier_t arrived;
  if (threadIdx.x == 0) __mbarrier_init(&arrived, kFixed ? n : blockDim.x);
  __syncthreads();
  if (threadIdx.x >= n) return;
  values[threadIdx.x] = 1;
  const __mbarrier_token_t token = __mbarrier_arrive(&arrived);
  while (!__mbarrier_test_wait(&arrived, token)) {  // <- here
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  meet_kernel<kFixed><<<1, 64>>>(values, 48);
}
