// expect: wrong-answer
// The number of tiles is rounded down: the elements of the partial tiles at the edges stay uninitialised.
#include "lockstep/check_cuda.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  if (row < rows && column < columns) {
    out[column * rows + row] = in[row * columns + column];
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const dim3 threads(kTile, kTile);
  const dim3 blocks(columns / kTile, rows / kTile);
  if (blocks.x == 0 || blocks.y == 0) return;
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
