// The grid is rounded up, and its last threads have no element: the guard is missing.
// expect: out-of-bounds
// says: just past the end of an allocation (4000 bytes)
#include "planted_bug.h"

template <bool kFixed>
__global__ void add_kernel(float* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (kFixed && i >= n) return;
  values[i] += 1.0F;  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> values(1000);
  add_kernel<kFixed><<<8, 128>>>(values, 1000);
}
