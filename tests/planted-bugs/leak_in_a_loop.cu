// Each round allocates again and only the last memory is freed.
// expect: leak
// options: --check-leaks
// says: 9 allocations of 400 bytes were never freed
#include "planted_bug.h"

template <bool kFixed>
void run() {
  void* values = nullptr;
  for (int round = 0; round < 10; ++round) {
    if (kFixed) cudaFree(values);
    cudaMalloc(&values, 400);
  }
  cudaFree(values);
}
