// A thread's own array is indexed one past its end.
// expect: out-of-bounds
// says: of the thread's local memory
// asks: the index wrong
#include "planted_bug.h"

template <bool kFixed>
__global__ void digits_kernel(const int* values, int* counts) {
  int digits[16];
  for (int& digit : digits) digit = 0;
  for (int k = 0; k < 8; ++k) {
    const int value = values[threadIdx.x * 8 + k];
    ++digits[kFixed ? value % 16 : value];  // <- here
  }
  for (int k = 0; k < 16; ++k) counts[threadIdx.x * 16 + k] = digits[k];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32 * 8), counts(32 * 16);
  std::vector<int> numbers(32 * 8);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i % 17);
  cudaMemcpy(values, numbers.data(), values.bytes(), cudaMemcpyHostToDevice);
  digits_kernel<kFixed><<<1, 32>>>(values, counts);
}
