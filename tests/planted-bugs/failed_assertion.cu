// An assertion in the kernel does not hold.
// expect: assertion
// says: the assertion `n % 4 == 0` failed
// asks: what happens there?
#include "planted_bug.h"

template <bool kFixed>
__global__ void fours_kernel(int* values, int n) {
  assert(n % 4 == 0);  // <- here
  if (threadIdx.x < n / 4) reinterpret_cast<int4*>(values)[threadIdx.x] = int4{1, 2, 3, 4};
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  fours_kernel<kFixed><<<1, 32>>>(values, kFixed ? 64 : 62);
}
