// A stencil in place reads an element that the neighbouring block may have changed already.
// expect: race
// also: race
// says: in the same launch
#include "planted_bug.h"

template <bool kFixed>
__global__ void smooth_kernel(const float* from, float* to, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float left = i > 0 ? from[i - 1] : 0.0F;  // <- here
  __syncthreads();
  if (i < n) to[i] = 0.5F * (left + 1.0F);  // <- earlier
}

template <bool kFixed>
void run() {
  DeviceArray<float> values(256), result(256);
  smooth_kernel<kFixed><<<4, 64>>>(values, kFixed ? result : values, 256);
}
