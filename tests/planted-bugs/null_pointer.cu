// A pointer that was never allocated goes to the kernel.
// expect: out-of-bounds
// says: a null pointer
// asks: which pointer is null
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* values) {
  values[threadIdx.x] = 1;  // <- here
}

template <bool kFixed>
void run() {
  int* values = nullptr;
  if constexpr (kFixed) cudaMalloc(&values, 32 * sizeof(int));
  fill_kernel<kFixed><<<1, 32>>>(values);
  cudaFree(values);
}
