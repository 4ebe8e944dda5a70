// Lanes of one warp read in global memory what their neighbours have just stored there, without __syncwarp().
// expect: race
// says: with no __syncwarp() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void exchange_kernel(int* values, int* swapped) {
  values[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;  // <- earlier
  if constexpr (kFixed) __syncwarp();
  swapped[threadIdx.x] = values[threadIdx.x ^ 1];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32), swapped(32);
  exchange_kernel<kFixed><<<1, 32>>>(values, swapped);
}
