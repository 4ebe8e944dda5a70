// A block stores a sum, then a flag behind a fence. Who waits for the flag reads the sum with no fence of its
// own: it may have been read before the flag.
// expect: stale-read
// status: 3
// says: a fence followed the store, and none of the reading block has come since
// asks: which read shows that the value is there?
// reports: Behind that store is a fence
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
  __threadfence();
  ready[b] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(8), sums(8), ready(8);
  scan_kernel<kFixed><<<8, 1>>>(values, sums, ready);
  int last = 0;
  cudaMemcpy(&last, sums + 7, sizeof last, cudaMemcpyDeviceToHost);
  if (last != 8) std::exit(3);
}
