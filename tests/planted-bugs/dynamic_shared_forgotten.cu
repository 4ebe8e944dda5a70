// The kernel uses dynamic shared memory, and the launch gives it none.
// expect: out-of-bounds
// says: of the block's shared memory, which has 0 bytes
// asks: the third launch argument
#include "planted_bug.h"

template <bool kFixed>
__global__ void reverse_kernel(int* values) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = values[threadIdx.x];  // <- here
  __syncthreads();
  values[threadIdx.x] = tile[63 - threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  if constexpr (kFixed) {
    reverse_kernel<kFixed><<<1, 64, 64 * sizeof(int)>>>(values);
  } else {
    reverse_kernel<kFixed><<<1, 64>>>(values);
  }
}
