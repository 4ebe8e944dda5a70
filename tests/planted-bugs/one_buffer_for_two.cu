// A double buffer saves the second barrier of each step, but the code forgets to change buffers.
// expect: race
// also: race
// says: with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void smooth_kernel(int* values, int steps) {
  __shared__ int buffers[2][64];
  const unsigned i = threadIdx.x;
  buffers[0][i] = values[i];
  __syncthreads();
  int current = 0;
  for (int step = 0; step < steps; ++step) {
    const int next = kFixed ? 1 - current : current;
    const int left = buffers[current][(i + 63) % 64], right = buffers[current][(i + 1) % 64];  // <- earlier
    buffers[next][i] = left + right + 1;                                                       // <- here
    __syncthreads();
    current = next;
  }
  values[i] = buffers[current][i];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  smooth_kernel<kFixed><<<1, 64>>>(values, 5);
}
