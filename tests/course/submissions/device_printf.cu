// expect: wrong-answer
// says: Your code printed in case 1 x 1: | thread 0 sees 1 x 1
// says: thread 3 sees 1 x 1
// Prints from the device.
#include <cstdio>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  (void)in, (void)out;
  printf("thread %d sees %d x %d\n", threadIdx.x, rows, columns);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
