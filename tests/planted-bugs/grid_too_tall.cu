// The rows of a large matrix go into the grid's y, which has at most 65535 blocks.
// expect: bad-launch
// says: at most 2147483647 × 65535 × 65535
// asks: compare the launch with what a device can launch
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* values) {
  const unsigned row = kFixed ? blockIdx.x : blockIdx.y;
  if (row == 7) values[threadIdx.x] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32);
  fill_kernel<kFixed><<<kFixed ? dim3(70'000, 1) : dim3(1, 70'000), 32>>>(values);
}
