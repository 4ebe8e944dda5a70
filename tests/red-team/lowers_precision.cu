// expect: wrong-answer
// tries: Keeps the upper half of each element, as a number of 16 bits has it.
// stopped by: Exercises that only move elements compare without tolerance. Integers have no precision to
// lower.
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned upper_half = i < rows * columns ? __float_as_uint(in[i]) & 0xffff0000 : 0;
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = __uint_as_float(upper_half);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const int n = rows * columns;
  if (n != 0) transpose_kernel<<<n / 256 + 1, 256, 0, stream>>>(in, out, rows, columns);
}
