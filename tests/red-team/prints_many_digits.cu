// expect: wrong-answer
// tries: Asks the device's printf for two billion digits.
// stopped by: The length of what a kernel prints is bounded.
#include <cstdio>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(int digits) { printf("%.*f\n", digits, 1.5); }

void transpose(const float*, float*, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(2'000'000'000);
  CHECK_CUDA(cudaGetLastError());
}
