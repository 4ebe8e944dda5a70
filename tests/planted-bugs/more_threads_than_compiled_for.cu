// The kernel promises blocks of at most 128 threads, and is launched with 256.
// expect: bad-launch
// says: the kernel was compiled for at most 128
#include "planted_bug.h"

template <bool kFixed>
__global__ void __launch_bounds__(128) fill_kernel(int* values) {
  values[threadIdx.x] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(256);
  fill_kernel<kFixed><<<1, kFixed ? 128 : 256>>>(values);
}
