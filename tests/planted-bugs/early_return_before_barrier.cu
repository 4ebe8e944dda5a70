// Threads without an element of their own leave before they have loaded their part of the tile.
// expect: uninitialised-read
// says: which no thread of the block has written
#include "planted_bug.h"

template <bool kFixed>
__global__ void blur_kernel(const int* from, int* to, int n) {
  __shared__ int tile[64];
  const unsigned i = threadIdx.x;
  if (!kFixed && i >= n) return;
  tile[i] = from[i];
  __syncthreads();
  if (i < n) to[i] = tile[i] + tile[i + 1];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> from(64), to(64);
  blur_kernel<kFixed><<<1, 64>>>(from, to, 40);
}
