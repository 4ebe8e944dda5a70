// cudaMalloc is given the number of elements instead of bytes.
// expect: out-of-bounds
// says: just past the end of an allocation (256 bytes)
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(double* values) {
  values[threadIdx.x] = 1.0;  // <- here
}

template <bool kFixed>
void run() {
  const std::size_t n = 256;
  double* values = nullptr;
  cudaMalloc(&values, kFixed ? n * sizeof(double) : n);
  fill_kernel<kFixed><<<1, n>>>(values);
  cudaFree(values);
}
