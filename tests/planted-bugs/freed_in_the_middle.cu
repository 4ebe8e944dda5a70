// cudaFree gets a pointer that has moved on from where the allocation begins.
// expect: bad-call
// says: cudaFree returned cudaErrorInvalidValue
#include "planted_bug.h"

template <bool kFixed>
void run() {
  int* values = nullptr;
  cudaMalloc(&values, 256);
  int* next = values;
  *&next += 8;
  cudaFree(kFixed ? values : next);
  if constexpr (!kFixed) cudaFree(values);
}
