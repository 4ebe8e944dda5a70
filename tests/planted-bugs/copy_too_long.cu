// cudaMemcpy takes one row more than the array on the device has.
// expect: bad-call
// says: 320 bytes, which reach 64 bytes past the end of an allocation (256 bytes)
#include "planted_bug.h"

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  const std::vector<int> numbers(128);
  cudaMemcpy(values, numbers.data(), kFixed ? values.bytes() : values.bytes() + 64, cudaMemcpyHostToDevice);
}
