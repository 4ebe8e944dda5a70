// expect: uninitialised-read
// tries: Allocates memory and looks in it for what another process has left.
// stopped by: Uninitialised memory has no value on the emulated device; a GPU's driver clears it.
#include "transpose.h"

__global__ void copy_kernel(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void transpose(const float*, float* out, int rows, int columns, cudaStream_t stream) {
  const int n = rows * columns;
  if (n == 0) return;
  float* found = nullptr;
  cudaMalloc(&found, sizeof(float) * n);
  copy_kernel<<<n / 256 + 1, 256, 0, stream>>>(found, out, n);
}
