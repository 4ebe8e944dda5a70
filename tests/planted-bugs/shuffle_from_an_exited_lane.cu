// Lanes without an element return first; the sum of the others takes values of theirs.
// expect: bad-sync
// says: takes no part in the shuffle
// asks: All lanes that the mask names must come here
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (!kFixed && i >= n) return;
  int value = i < n ? values[i] : 0;
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xFFFF'FFFF, value, distance);  // <- here
  }
  if (i == 0) *sum = value;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32), sum(1);
  sum_kernel<kFixed><<<1, 32>>>(values, sum, 20);
}
