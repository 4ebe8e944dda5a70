// A filter in constant memory has 9 taps, and the loop takes 10.
// expect: out-of-bounds
// says: just past the end of
#include "planted_bug.h"

__constant__ float taps[9];

template <bool kFixed>
__global__ void filter_kernel(const float* from, float* to, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += from[threadIdx.x + k] * taps[k];  // <- here
  to[threadIdx.x] = sum;
}

template <bool kFixed>
void run() {
  DeviceArray<float> from(80), to(64);
  const std::vector<float> weights(9, 0.1F);
  cudaMemcpyToSymbol(taps, weights.data(), 9 * sizeof(float));
  filter_kernel<kFixed><<<1, 64>>>(from, to, kFixed ? 9 : 10);
}
