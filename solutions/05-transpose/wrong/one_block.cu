// expect: inefficient
// fails: parallelism
// One block goes over all tiles: every access is as it should be, and all other multiprocessors are idle.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int first_row = 0; first_row < rows; first_row += kTile) {
    for (int first_column = 0; first_column < columns; first_column += kTile) {
      if (first_row + y < rows && first_column + x < columns) {
        tile[y][x] = in[(first_row + y) * columns + first_column + x];
      }
      __syncthreads();  // the element that a thread writes below was read by another one
      if (first_column + y < columns && first_row + x < rows) {
        out[(first_column + y) * rows + first_row + x] = tile[x][y];
      }
      __syncthreads();  // all have read the tile
    }
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // nothing to do
  transpose_kernel<<<1, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
