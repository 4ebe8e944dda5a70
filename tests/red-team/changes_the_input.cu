// expect: wrong-answer
// tries: Makes the input fit its output: all of both is 0.
// stopped by: Expected values are the judge's own, and inputs are compared with their originals.
#include "transpose.h"

__global__ void clear_kernel(float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) in[i] = out[i] = 0;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const int n = rows * columns;
  if (n != 0) clear_kernel<<<n / 256 + 1, 256, 0, stream>>>(const_cast<float*>(in), out, n);
}
