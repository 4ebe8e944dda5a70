// expect: uninitialised-read
// says: a copy or fill was put into another stream than the one that your function was given
// says: in another stream
// says: pass `stream` on as its last argument
// Clears a counter in the default stream, for which the kernel does not wait.
#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int* taken, int rows, int columns) {
  const int i = atomicAdd(taken, 1);
  if (i >= 0 && i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  int* taken;
  cudaMallocAsync(&taken, sizeof *taken, stream);
  cudaMemsetAsync(taken, 0, sizeof *taken);
  transpose_kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out, taken, rows,
                                                                                 columns);
  cudaFreeAsync(taken, stream);
}
