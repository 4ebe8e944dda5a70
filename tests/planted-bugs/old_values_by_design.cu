// Blocks publish what they find, and take what they see of the one before, old or new: no mistake, and no
// word of it.
// expect: none
#include "planted_bug.h"

template <bool kFixed>
__global__ void least_kernel(const int* values, volatile int* least, volatile int* steps, int* found) {
  const unsigned b = blockIdx.x;
  steps[b] = 1;
  least[b] = values[b];
  const int before = b > 0 ? least[b - 1] : 0;
  found[b] = before < values[b] ? before : values[b];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(8), least(8), steps(8), found(8);
  const std::vector<int> fives(8, 5);
  cudaMemcpy(values, fives.data(), values.bytes(), cudaMemcpyHostToDevice);
  least_kernel<kFixed><<<8, 1>>>(values, least, steps, found);
}
