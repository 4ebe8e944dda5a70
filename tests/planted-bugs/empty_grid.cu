// An empty input gives a grid of no blocks, which is an error and not nothing.
// expect: bad-launch
// says: a grid of 0 × 1 × 1 blocks of 128 × 1 × 1 threads; there must be at least one of each
// asks: round the number of blocks up
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(1);
  const int n = 0;
  const int blocks = (n + 127) / 128;
  if (!kFixed || blocks > 0) fill_kernel<kFixed><<<blocks, 128>>>(values, n);
}
