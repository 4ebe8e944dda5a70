// Copies to shared memory are committed, and a barrier follows, but nobody waits for the copies.
// expect: race
// says: has not waited for it
// asks: who waits for the copy
#include "planted_bug.h"

template <bool kFixed>
__global__ void mirror_kernel(const int* from, int* to) {
  __shared__ int tile[128];
  const unsigned i = threadIdx.x;
  __pipeline_memcpy_async(&tile[i], &from[i], sizeof(int));  // <- earlier
  __pipeline_commit();
  if constexpr (kFixed) __pipeline_wait_prior(0);
  __syncthreads();
  to[i] = tile[127 - i];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> from(128), to(128);
  mirror_kernel<kFixed><<<1, 128>>>(from, to);
}
