// The largest value falls into a bin that does not exist.
// expect: out-of-bounds
// says: atomic operation of 4 bytes just past the end of an allocation (64 bytes)
#include "planted_bug.h"

template <bool kFixed>
__global__ void histogram_kernel(const float* values, int* bins, int n) {
  int bin = static_cast<int>(values[threadIdx.x] * n);
  if (kFixed && bin == n) bin = n - 1;
  atomicAdd(&bins[bin], 1);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> values(32);
  DeviceArray<int> bins(16);
  std::vector<float> numbers(32, 0.5F);
  numbers[9] = 1.0F;
  cudaMemcpy(values, numbers.data(), values.bytes(), cudaMemcpyHostToDevice);
  histogram_kernel<kFixed><<<1, 32>>>(values, bins, 16);
}
