// expect: wrong-answer
// says: never written
// says: transpose_kernel was put into another stream than the one that your function was given
// says: in another stream
// says: pass `stream` on as the fourth launch argument
// Forgets to pass the stream on: what it is given does not wait for the default stream.
#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<lockstep::divide_up(rows * columns, 256), 256>>>(in, out, rows, columns);
}
