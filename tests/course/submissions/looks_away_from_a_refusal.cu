// expect: launch-failed
// says: a block has at most 1024
// A launch is refused and nobody looks; the next one does all the work.
#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<lockstep::divide_up(rows * columns, 2048), 2048, 0, stream>>>(in, out, rows, columns);
  transpose_kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out, rows, columns);
}
