// expect: crashed
// says: a call through a null pointer to a function
// says: out[i] = steps[i % 2](in[i]);
// A table of functions that nobody has filled to its end.
#include <cuda_runtime.h>

#include <algorithm>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__device__ float same(float value) { return value; }
__device__ float (*steps[2])(float) = {same};

__global__ void transpose_kernel(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = steps[i % 2](in[i]);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const int threads = std::min(rows * columns, 32);
  transpose_kernel<<<1, threads, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
