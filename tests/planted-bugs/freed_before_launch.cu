// Memory is freed, and then given to a kernel.
// expect: out-of-bounds
// says: of an allocation (256 bytes) after it was freed
// asks: what frees this memory
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* values) {
  values[threadIdx.x] = 1;  // <- here
}

template <bool kFixed>
void run() {
  int* values = nullptr;
  cudaMalloc(&values, 64 * sizeof(int));
  if constexpr (!kFixed) cudaFree(values);
  fill_kernel<kFixed><<<1, 64>>>(values);
  if constexpr (kFixed) cudaFree(values);
}
