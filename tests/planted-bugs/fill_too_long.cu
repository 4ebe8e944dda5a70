// cudaMemset of an array of chars, as if they were ints.
// expect: bad-call
// says: cudaMemset returned cudaErrorInvalidValue
#include "planted_bug.h"

template <bool kFixed>
void run() {
  DeviceArray<char> bytes(100);
  cudaMemset(bytes, 0, kFixed ? 100 : 100 * sizeof(int));
}
