// expect: crashed
// says: the assertion `rows > columns + 1000000` failed
// says: assert(rows > columns + 1000000);
// An assertion on the device that does not hold.
#include <cassert>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  (void)in, (void)out;
  assert(rows > columns + 1000000);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
