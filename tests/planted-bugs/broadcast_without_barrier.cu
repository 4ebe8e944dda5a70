// One thread looks a value up for the whole block; the others do not wait for it.
// expect: race
// also: uninitialised-read race
// says: which thread 0 wrote at
#include "planted_bug.h"

template <bool kFixed>
__global__ void scale_kernel(float* values, const float* factors) {
  __shared__ float factor;
  if (threadIdx.x == 0) factor = factors[blockIdx.x];  // <- earlier
  if constexpr (kFixed) __syncthreads();
  values[blockIdx.x * blockDim.x + threadIdx.x] *= factor;  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> values(512), factors(4);
  scale_kernel<kFixed><<<4, 128>>>(values, factors);
}
