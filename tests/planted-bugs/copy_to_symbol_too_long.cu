// More values are copied to a constant than it has.
// expect: bad-call
// says: cudaMemcpyToSymbol returned cudaErrorInvalidValue
#include "planted_bug.h"

__constant__ float weights[8];

template <bool kFixed>
__global__ void weigh_kernel(float* values) {
  values[threadIdx.x] *= weights[threadIdx.x % 8];
}

template <bool kFixed>
void run() {
  const std::vector<float> numbers(9, 1.0F);
  cudaMemcpyToSymbol(weights, numbers.data(), (kFixed ? 8 : 9) * sizeof(float));
  DeviceArray<float> values(32);
  weigh_kernel<kFixed><<<1, 32>>>(values);
}
