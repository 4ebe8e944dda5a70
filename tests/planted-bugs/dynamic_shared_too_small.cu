// The launch asks for as many bytes of shared memory as there are threads, not elements.
// expect: out-of-bounds
// says: of the block's shared memory, which has 128 bytes
#include "planted_bug.h"

template <bool kFixed>
__global__ void reverse_kernel(int* values) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = values[threadIdx.x];  // <- here
  __syncthreads();
  values[threadIdx.x] = tile[127 - threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(128);
  reverse_kernel<kFixed><<<1, 128, kFixed ? 128 * sizeof(int) : 128>>>(values);
}
