// A block stores a sum and then a flag, both volatile, without a fence between: the sum may be seen last.
// expect: stale-read
// status: 3
// says: no fence of that block had followed the store yet
// asks: which store signals to other blocks
// reports: had no __threadfence() behind it yet
#include "planted_bug.h"

template <bool kFixed>
__global__ void scan_kernel(const int* values, volatile int* sums, volatile int* ready) {
  const unsigned b = blockIdx.x;
  int before = 0;
  if (b > 0) {
    while (ready[b - 1] == 0) {
    }
    if constexpr (kFixed) __threadfence();
    before = sums[b - 1];  // <- here
  }
  sums[b] = before + values[b] + 1;  // <- earlier
  if constexpr (kFixed) __threadfence();
  ready[b] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(8), sums(8), ready(8);
  scan_kernel<kFixed><<<8, 1>>>(values, sums, ready);
  // Who finds nothing wrong gets no report of old values.
  int last = 0;
  cudaMemcpy(&last, sums + 7, sizeof last, cudaMemcpyDeviceToHost);
  if (last != 8) std::exit(3);
}
