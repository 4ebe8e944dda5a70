// Two tiles are under way, and the wait leaves the wrong one of them.
// expect: race
// says: has not waited for it
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* from, int* to) {
  __shared__ int tile[2][32];
  const unsigned i = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][i], &from[i], sizeof(int));
  __pipeline_commit();
  __pipeline_memcpy_async(&tile[1][i], &from[32 + i], sizeof(int));  // <- earlier
  __pipeline_commit();
  __pipeline_wait_prior(1);
  int sum = tile[0][i];
  if constexpr (kFixed) __pipeline_wait_prior(0);
  sum += tile[1][i];  // <- here
  to[i] = sum;
}

template <bool kFixed>
void run() {
  DeviceArray<int> from(64), to(32);
  sum_kernel<kFixed><<<1, 32>>>(from, to);
}
