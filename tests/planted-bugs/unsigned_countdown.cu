// A loop that counts down to 0 with an unsigned index goes on at 4294967295.
// expect: out-of-bounds
// says: read of 4 bytes
#include "planted_bug.h"

template <bool kFixed>
__global__ void suffix_kernel(const int* values, int* sums, unsigned n) {
  int sum = 0;
  if constexpr (kFixed) {
    for (unsigned i = n; i-- > 0;) sums[i] = sum += values[i];
  } else {
    for (unsigned i = n - 1; i >= 0; --i) sums[i] = sum += values[i];  // <- here
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64), sums(64);
  suffix_kernel<kFixed><<<1, 1>>>(values, sums, 64);
}
