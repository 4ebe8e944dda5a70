// Blocks step by one row too few: the last row of each is written by its neighbour too.
// expect: race
// says: write of byte
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* values, int step) {
  values[blockIdx.x * step + threadIdx.x] = static_cast<int>(blockIdx.x) + 1;  // <- here and earlier
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(4 * 64);
  fill_kernel<kFixed><<<4, 64>>>(values, kFixed ? 64 : 63);
}
