// expect: crashed
// says: the thread's stack is full
// says: return level < -1000000
// Recursion on the device that does not end.
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__device__ __noinline__ float depth(const float* in, int level) {
  volatile float kept[16];
  kept[level & 15] = static_cast<float>(level);
  return level < -1000000 ? in[0] : depth(in, level + 1) + kept[level & 15];
}

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  out[0] = depth(in, rows + columns);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
