// Every round waits for the same parity: the second time that phase is over, or one that never comes.
// expect: deadlock
// says: wait for mbarriers that no thread will complete
#include "planted_bug.h"

template <bool kFixed>
__global__ void tiles_kernel(const int* from, int* to) {
  __shared__ int tile[2][32];
  __shared__ __mbarrier_t filled;
  const unsigned i = threadIdx.x;
  if (i == 0) __mbarrier_init(&filled, blockDim.x);
  __syncthreads();
  bool parity = false;
  for (unsigned round = 0; round < 2; ++round) {
    __pipeline_memcpy_async(&tile[round][i], &from[32 * round + i], sizeof(int));
    __pipeline_arrive_on(&filled);
    __mbarrier_arrive(&filled);
    while (!__mbarrier_test_wait_parity(&filled, parity)) {  // <- here
    }
    to[32 * round + i] = tile[round][31 - i];
    if constexpr (kFixed) parity = !parity;
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> from(64), to(64);
  tiles_kernel<kFixed><<<1, 32>>>(from, to);
}
