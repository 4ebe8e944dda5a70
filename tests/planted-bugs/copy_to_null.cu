// The memory that a copy should go to was never taken.
// expect: bad-call
// says: cudaMemcpy returned cudaErrorInvalidValue (invalid argument): one of its pointers is null
#include "planted_bug.h"

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  std::vector<int> numbers(64);
  cudaMemcpy(kFixed ? numbers.data() : nullptr, values, values.bytes(), cudaMemcpyDeviceToHost);
}
