// expect: compile-error
// says: Unknown symbol '%nowhere'
// says: Look at your asm statements
// A register that is declared nowhere.
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  asm volatile("mov.u32 %0, %%nowhere;" : "=r"(rows));
  out[rows] = in[columns];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
