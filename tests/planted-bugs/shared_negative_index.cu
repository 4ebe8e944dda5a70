// The halo of a tile lies at negative indices.
// expect: out-of-bounds
// says: write of 4 bytes at offset -4 of the block's shared memory
// asks: the index is below 0
#include "planted_bug.h"

template <bool kFixed>
__global__ void stencil_kernel(int* values) {
  __shared__ int tile[64 + 1];
  int* own = kFixed ? tile + 1 : tile;
  own[threadIdx.x] = values[threadIdx.x];
  if (threadIdx.x == 0) own[static_cast<int>(threadIdx.x) - 1] = 0;  // <- here
  __syncthreads();
  values[threadIdx.x] = own[static_cast<int>(threadIdx.x) - 1];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  stencil_kernel<kFixed><<<1, 64>>>(values);
}
