// expect: out-of-bounds
// says: a null pointer
// says: out[i] = in[i];
// A kernel that reads through a null pointer.
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = in[i];
}

void transpose(const float*, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(nullptr, out);
  CHECK_CUDA(cudaGetLastError());
}
