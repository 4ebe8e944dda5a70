// expect: out-of-bounds
// says: past the end of 'out'
// says: out[1 << 28] = 1;
// Spoils the context and does not look at the error, which waits for whoever calls next.
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
