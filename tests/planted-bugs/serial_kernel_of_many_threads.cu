// A kernel that is written for one thread is started with a block of them.
// expect: race
// also: race
// says: with no __syncthreads() between
// asks: every thread of the block does the same here
#include "planted_bug.h"

__global__ void scan_totals_kernel(int* totals, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int value = totals[i];  // <- earlier
    totals[i] = sum;              // <- here
    sum += value;
  }
}

__global__ void fill_kernel(int* totals) { totals[threadIdx.x] = 1 + threadIdx.x; }

template <bool kFixed>
void run() {
  DeviceArray<int> totals(16);
  fill_kernel<<<1, 16>>>(totals);
  scan_totals_kernel<<<1, kFixed ? 1 : 128>>>(totals, 16);
}
