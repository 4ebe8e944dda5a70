// A tile is read before every warp has filled it.
// expect: race
// also: uninitialised-read
// says: with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void reverse_kernel(int* values) {
  __shared__ int tile[256];
  tile[threadIdx.x] = values[threadIdx.x];  // <- here and earlier
  if constexpr (kFixed) __syncthreads();
  values[threadIdx.x] = tile[255 - threadIdx.x];  // <- here and earlier
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(256);
  reverse_kernel<kFixed><<<1, 256>>>(values);
}
