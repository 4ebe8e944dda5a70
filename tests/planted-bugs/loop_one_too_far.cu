// The loop's last index is one past the end: <= instead of <.
// expect: out-of-bounds
// says: read of 4 bytes just past the end of an allocation (400 bytes)
// asks: this is the first element past the end
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum, int n) {
  int total = 0;
  for (int i = 0; kFixed ? i < n : i <= n; ++i) total += values[i];  // <- here
  *sum = total;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(100), sum(1);
  sum_kernel<kFixed><<<1, 1>>>(values, sum, 100);
}
