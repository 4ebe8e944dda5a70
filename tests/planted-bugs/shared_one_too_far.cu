// A thread reads the element after its own in shared memory; the last one has none.
// expect: out-of-bounds
// says: read of 4 bytes at offset 256 of the block's shared memory, which has 256 bytes
// asks: a `<=` meant to be a `<`
#include "planted_bug.h"

template <bool kFixed>
__global__ void difference_kernel(int* values) {
  __shared__ int tile[64];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  const unsigned next = kFixed && threadIdx.x == 63 ? 63 : threadIdx.x + 1;
  values[threadIdx.x] = tile[next] - tile[threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  difference_kernel<kFixed><<<1, 64>>>(values);
}
