// expect: compile-error
// says: transpose.cu:13 13 | std::vector<float> row(columns);
// says: A std::vector lives in the host's memory, and transpose_kernel runs on the GPU.
// says: Next: Fix transpose.cu:13;
// The compiler names lines of the library alone: that of the kernel is sought in it.
#include <vector>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = threadIdx.x;
  std::vector<float> row(columns);
  out[i] = in[i] + rows;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 1, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
