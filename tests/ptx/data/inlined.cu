// Functions inlined over three files, so that locations chain.
#include "inlined_outer.h"

template <int kDepth>
__device__ inline int descend(int x) {
  if constexpr (kDepth == 0) {
    return x * x;
  } else {
    return descend<kDepth - 1>(x ^ kDepth) + kDepth;
  }
}

__global__ void inlined_kernel(float* values, int* numbers) {
  const unsigned i = threadIdx.x;
  values[i] = outer(values[i]);         // [call]
  numbers[i] = descend<5>(numbers[i]);  // [recursion]
}
