// An empty input gives a grid of no blocks, which is an error and not nothing.
// expect: bad-launch
// says: no threads
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
