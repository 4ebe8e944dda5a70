// The lanes of a warp take their right neighbours' values, each of which the neighbour then overwrites.
// expect: race
// says: with no __syncwarp() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void shift_kernel(int* out) {
  __shared__ int values[33];
  const unsigned i = threadIdx.x;
  values[i] = i;
  if (i == 0) values[32] = 32;
  __syncwarp();
  const int right = values[i + 1];  // <- earlier
  if constexpr (kFixed) __syncwarp();
  values[i] = right;  // <- here
  __syncwarp();
  out[i] = values[i];
}

template <bool kFixed>
void run() {
  DeviceArray<int> out(32);
  shift_kernel<kFixed><<<1, 32>>>(out);
}
