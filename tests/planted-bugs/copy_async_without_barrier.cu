// A thread has waited for its own copy, and reads what another thread copied.
// expect: race
// also: uninitialised-read
// says: with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void mirror_kernel(const int* from, int* to) {
  __shared__ int tile[128];
  const unsigned i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], &from[i], sizeof(int));  // <- here and earlier
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if constexpr (kFixed) __syncthreads();
  to[i] = tile[127 - i];  // <- here and earlier
}

template <bool kFixed>
void run() {
  DeviceArray<int> from(128), to(128);
  mirror_kernel<kFixed><<<1, 128>>>(from, to);
}
