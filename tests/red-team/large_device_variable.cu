// expect: launch-failed
// tries: Holds more device memory than it may, in a variable that no allocation announces.
// stopped by: Variables are charged like allocations.
// says: the variable large has 3221225472 bytes
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__device__ char large[3ull << 30];

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  out[rows] = in[columns] + large[rows];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
