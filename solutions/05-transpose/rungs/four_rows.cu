// Transpose through a padded tile, four rows a thread: all four loads before the first store.
// Lecture: 05-transpose.
// Bound: memory; with four bytes a lane, four times the instructions that vectors of 16 bytes would take.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;
constexpr int kRows = 4;                    // of the tile a thread, kThreadRows apart
constexpr int kThreadRows = kTile / kRows;  // of the block

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];  // padded: a column lies in 32 different banks
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  // [loads-first]
  float values[kRows];  // read all before the first is needed, to have four loads on their way
  for (int k = 0; k < kRows; ++k) {
    const int row = first_row + y + k * kThreadRows, column = first_column + x;
    values[k] = row < rows && column < columns ? in[row * columns + column] : 0;
  }
  for (int k = 0; k < kRows; ++k) tile[y + k * kThreadRows][x] = values[k];
  // [loads-first]
  __syncthreads();  // a column of the tile comes from all warps
  for (int k = 0; k < kRows; ++k) {
    const int tile_column = y + k * kThreadRows;
    const int out_row = first_column + tile_column, out_column = first_row + x;
    if (out_row < columns && out_column < rows) out[out_row * rows + out_column] = tile[x][tile_column];
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kTile, kThreadRows);
  const dim3 blocks(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
