// expect: out-of-bounds
// tries: Reads the device's memory round its buffers, where the expected output might lie.
// stopped by: Every access is looked up in the allocations; on a GPU what lies behind a buffer is not
// mapped.
// says: past the end of 'out'
#include "transpose.h"

__global__ void search_kernel(const float* in, float* out, int elements) {
  for (int i = 1; i < 1 << 20; ++i) {
    if (out[elements + i] == in[0]) out[0] = out[elements + i];
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  search_kernel<<<1, 1, 0, stream>>>(in, out, rows * columns);
}
