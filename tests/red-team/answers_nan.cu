// expect: wrong-answer
// tries: Answers NaN everywhere, which differs from nothing by more than a tolerance.
// stopped by: Comparisons are written so that NaN fails.
#include "transpose.h"

__global__ void fill_kernel(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __int_as_float(0x7fffffff);
}

void transpose(const float*, float* out, int rows, int columns, cudaStream_t stream) {
  const int n = rows * columns;
  if (n != 0) fill_kernel<<<n / 256 + 1, 256, 0, stream>>>(out, n);
}
