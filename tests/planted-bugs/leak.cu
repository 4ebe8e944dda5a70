// Memory is never freed.
// expect: leak
// options: --check-leaks
// says: 1 allocation of 4096 bytes was never freed
#include "planted_bug.h"

template <bool kFixed>
void run() {
  void* values = nullptr;
  cudaMalloc(&values, 4096);
  if constexpr (kFixed) cudaFree(values);
}
