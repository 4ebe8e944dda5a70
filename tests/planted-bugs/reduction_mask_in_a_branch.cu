// A sum over the warp names lanes that skip it.
// expect: bad-sync
// says: which must take part and are elsewhere
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const unsigned* values, unsigned* sums) {
  const unsigned value = values[threadIdx.x];
  if (threadIdx.x < 24) {
    sums[threadIdx.x] = __reduce_add_sync(kFixed ? 0x00FF'FFFF : 0xFFFF'FFFF, value);  // <- here
  }
  __syncthreads();
}

template <bool kFixed>
void run() {
  DeviceArray<unsigned> values(32), sums(32);
  sum_kernel<kFixed><<<1, 32>>>(values, sums);
}
