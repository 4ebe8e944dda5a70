// expect: out-of-bounds
// tries: Spoils the context and leaves the error for whoever calls next.
// stopped by: Findings belong to the call in which they arise; the next case gets a fresh process.
// says: past the end of 'out'
// says: out[1 << 28] = 1;
#include <cuda_runtime.h>

#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  (void)in, (void)rows, (void)columns;
  out[1 << 28] = 1;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
}
