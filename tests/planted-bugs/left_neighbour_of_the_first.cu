// A stencil reads the left neighbour of element 0.
// expect: out-of-bounds
// says: 4 bytes before the start of an allocation
#include "planted_bug.h"

template <bool kFixed>
__global__ void gradient_kernel(const float* from, float* to, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= n) return;
  const float left = kFixed && i == 0 ? 0.0F : from[i - 1];  // <- here
  to[i] = from[i] - left;
}

template <bool kFixed>
void run() {
  DeviceArray<float> from(64), to(64);
  gradient_kernel<kFixed><<<1, 64>>>(from, to, 64);
}
