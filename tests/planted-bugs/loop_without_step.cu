// A loop over the elements of a thread forgets to go on to the next one.
// expect: no-progress
// says: nothing changes any more
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(const volatile int* values, int* counts, int n) {
  int count = 0;
  int i = static_cast<int>(threadIdx.x);
  while (i < n) {
    if (values[i] > 0) ++count;  // <- here
    if constexpr (kFixed) i += static_cast<int>(blockDim.x);
  }
  counts[threadIdx.x] = count;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(128), counts(32);
  count_kernel<kFixed><<<1, 32>>>(values, counts, 128);
}
