// Doubles are stored behind an odd number of ints in shared memory.
// expect: misaligned
// says: write of 8 bytes
#include "planted_bug.h"

template <bool kFixed>
__global__ void scale_kernel(double* values) {
  extern __shared__ __align__(8) unsigned char memory[];
  double* doubles = reinterpret_cast<double*>(memory + (kFixed ? 8 : 4));
  doubles[threadIdx.x] = values[threadIdx.x];  // <- here
  __syncthreads();
  values[threadIdx.x] = 2 * doubles[31 - threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<double> values(32);
  scale_kernel<kFixed><<<1, 32, 33 * sizeof(double)>>>(values);
}
