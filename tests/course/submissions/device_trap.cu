// expect: crashed
// says: trap instruction
// says: if (threadIdx.x == 3) __trap();
// A kernel that gives up.
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  if (threadIdx.x == 3) __trap();
  out[threadIdx.x] = in[threadIdx.x];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
