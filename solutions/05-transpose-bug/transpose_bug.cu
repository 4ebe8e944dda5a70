// The transpose of "transpose-bug", repaired: all threads come to both barriers. Lecture: 05-transpose.
// Bound: two barriers a tile, and one element a thread on its way between them.
#include "transpose_bug.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kTile = 32;     // a block of threads covers kTile x kTile elements at a time
constexpr int kMaxRows = 16;  // of blocks: where there are more rows of tiles, a block takes several

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_column = blockIdx.x * kTile;
  for (int first_row = blockIdx.y * kTile; first_row < rows; first_row += gridDim.y * kTile) {
    if (first_row + y < rows && first_column + x < columns) {
      tile[y][x] = in[(first_row + y) * columns + first_column + x];
    }
    __syncthreads();  // outside the branch, where all threads come to it
    if (first_column + y < columns && first_row + x < rows) {
      out[(first_column + y) * rows + first_row + x] = tile[x][y];
    }
    __syncthreads();  // the tile has been read; the next one may be written
  }
}

void transpose_bug(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const int rows_of_tiles = lockstep::divide_up(rows, kTile);
  const dim3 threads(kTile, kTile);
  const dim3 blocks(lockstep::divide_up(columns, kTile), rows_of_tiles < kMaxRows ? rows_of_tiles : kMaxRows);
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
