// The same memory is freed two times.
// expect: bad-call
// says: cudaFree returned cudaErrorInvalidValue
#include "planted_bug.h"

template <bool kFixed>
void run() {
  int* values = nullptr;
  cudaMalloc(&values, 256);
  cudaFree(values);
  if constexpr (!kFixed) cudaFree(values);
}
