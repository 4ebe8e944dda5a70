// The kernel gets the pointer of an array on the host.
// expect: out-of-bounds
// says: a pointer of the host
// asks: no array or variable of the host
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum) {
  atomicAdd(sum, values[threadIdx.x]);  // <- here
}

template <bool kFixed>
void run() {
  const std::vector<int> numbers(64, 1);
  DeviceArray<int> values(64), sum(1);
  cudaMemcpy(values, numbers.data(), values.bytes(), cudaMemcpyHostToDevice);
  sum_kernel<kFixed><<<1, 64>>>(kFixed ? values : numbers.data(), sum);
}
