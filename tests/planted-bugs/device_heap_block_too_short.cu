// A kernel asks malloc for elements, where it takes bytes.
// expect: out-of-bounds
// status: 1
// says: past the end of a block of the device's heap (16 bytes)
// asks: is the array long enough
#include "planted_bug.h"

template <bool kFixed>
__global__ void reverse_kernel(int* values) {
  auto* copy = static_cast<int*>(malloc(kFixed ? 16 * sizeof(int) : 16));
  for (int i = 0; i < 16; ++i) copy[i] = values[i];  // <- here
  for (int i = 0; i < 16; ++i) values[i] = copy[15 - i];
  free(copy);
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(16);
  reverse_kernel<kFixed><<<1, 1>>>(values);
}
