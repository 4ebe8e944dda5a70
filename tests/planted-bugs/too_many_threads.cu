// A block of 32 x 64 threads: more than a block may have. The program does not look for the error.
// expect: bad-launch
// says: a block of 32 × 64 × 1 = 2048 threads; a block has at most 1024
// asks: give a block fewer threads
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* values) {
  values[threadIdx.y * blockDim.x + threadIdx.x] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(2048);
  fill_kernel<kFixed><<<1, dim3(32, kFixed ? 32 : 64)>>>(values);
}
