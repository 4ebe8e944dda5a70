// A row begins at an odd element and is read four elements at a time.
// expect: misaligned
// says: read of 16 bytes
// asks: begin at a multiple of its size
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const float* values, float* sums) {
  const float4 four = reinterpret_cast<const float4*>(values + (kFixed ? 4 : 1))[threadIdx.x];  // <- here
  sums[threadIdx.x] = four.x + four.y + four.z + four.w;
}

template <bool kFixed>
void run() {
  DeviceArray<float> values(256), sums(32);
  sum_kernel<kFixed><<<1, 32>>>(values, sums);
}
