// The direction of a copy contradicts its pointers.
// expect: bad-call
// says: (invalid argument): its direction is not that of its pointers
#include "planted_bug.h"

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  std::vector<int> numbers(64);
  cudaMemcpy(numbers.data(), values, values.bytes(),
             kFixed ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}
