// expect: wrong-answer
// says: what was stored as tile[y][x] is written as tile[x][y]
// Every tile goes to its place, and rows and columns are not exchanged within it.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;  // a block of threads covers kTile x kTile elements of `in`

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns)
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows)
    out[(first_column + y) * rows + first_row + x] = tile[y][x];
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kTile, kTile);
  const dim3 blocks(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
