// A vote over all lanes inside an if that only some of them enter.
// expect: bad-sync
// says: which must take part and are elsewhere
// asks: All lanes that the mask names must come here
#include "planted_bug.h"

template <bool kFixed>
__global__ void compact_kernel(const int* values, unsigned* mask) {
  const int value = values[threadIdx.x];
  if constexpr (kFixed) {
    const unsigned large = __ballot_sync(0xFFFF'FFFF, value > 4);
    if (threadIdx.x == 0) *mask = large;
  } else if (value > 2) {
    *mask = __ballot_sync(0xFFFF'FFFF, value > 4);  // <- here
  }
  __syncthreads();
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32);
  DeviceArray<unsigned> mask(1);
  std::vector<int> numbers(32);
  for (int i = 0; i < 32; ++i) numbers[i] = i % 8;
  cudaMemcpy(values, numbers.data(), values.bytes(), cudaMemcpyHostToDevice);
  compact_kernel<kFixed><<<1, 32>>>(values, mask);
}
