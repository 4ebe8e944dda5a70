// expect: compile-error
// says: place runs on the host alone, and transpose_kernel on the GPU. If place is yours, write __device__
// says: transpose.cu:12 12 | out[place(i, rows)] = in[i * columns];
// A helper without __device__.
#include "lockstep/check_cuda.h"
#include "transpose.h"

int place(int row, int rows) { return row % rows; }

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = threadIdx.x;
  out[place(i, rows)] = in[i * columns];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 1, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
