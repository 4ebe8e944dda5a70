// Threads arrive at an mbarrier that nobody has initialised.
// expect: bad-sync
// status: 1
// says: holds no mbarrier
#include "planted_bug.h"

template <bool kFixed>
__global__ void meet_kernel(int* values) {
  __shared__ __mbarrier_t arrived;
  if constexpr (kFixed) {
    if (threadIdx.x == 0) __mbarrier_init(&arrived, blockDim.x);
    __syncthreads();
  }
  values[threadIdx.x] = 1;
  const __mbarrier_token_t token = __mbarrier_arrive(&arrived);  // <- here
  while (!__mbarrier_test_wait(&arrived, token)) {
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  meet_kernel<kFixed><<<1, 64>>>(values);
}
