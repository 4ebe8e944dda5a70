// Lanes of one warp overwrite in global memory what their neighbours have yet to read, in a branch of some
// lanes and without __syncwarp().
// expect: race
// says: with no __syncwarp() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void shift_kernel(float* values, int n) {
  const int lane = static_cast<int>(threadIdx.x);
  float right = 0;
  if (lane + 1 < n) right = values[lane + 1];  // <- earlier
  if constexpr (kFixed) __syncwarp();
  if (lane < n) values[lane] = right + 1;  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> values(20);
  shift_kernel<kFixed><<<1, 32>>>(values, 20);
}
