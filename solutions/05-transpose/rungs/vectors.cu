// Transpose through a padded tile, a vector of 16 bytes a thread wherever rows are aligned for it.
// Lecture: 05-transpose.
// Bound: memory; the tile is still filled and emptied word by word, and tiles come in the order of the grid.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;
constexpr int kVectors = kTile / 4;  // of 16 bytes, in a row of the tile
constexpr int kRows = 4;             // of the tile a thread, where rows start anywhere
constexpr int kThreadRows = kTile / kRows;

__global__ void transpose_vectors_kernel(const float* in, float* out, int rows, int columns) {
  // A warp has 8 vectors of each of 4 rows. With the 33rd column, word j of them lies in 32 different banks,
  // whether they run along the tile or down.
  __shared__ float tile[kTile][kTile + 1];
  const int x = 4 * threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {  // both are multiples of 4: all or nothing
    // [vector-in]
    const float* const from = in + (first_row + y) * columns + first_column + x;
    const float4 values = *reinterpret_cast<const float4*>(from);
    tile[y][x + 0] = values.x;
    tile[y][x + 1] = values.y;
    tile[y][x + 2] = values.z;
    tile[y][x + 3] = values.w;
    // [vector-in]
  }
  __syncthreads();  // a column of the tile comes from all warps
  if (first_column + y < columns && first_row + x < rows) {
    float* const to = out + (first_column + y) * rows + first_row + x;
    *reinterpret_cast<float4*>(to) =
        make_float4(tile[x + 0][y], tile[x + 1][y], tile[x + 2][y], tile[x + 3][y]);
  }
}

/// Rows that start anywhere: four of them a thread, one element of each.
__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  float values[kRows];  // read all before the first is needed, to have four loads on their way
  for (int k = 0; k < kRows; ++k) {
    const int row = first_row + y + k * kThreadRows, column = first_column + x;
    values[k] = row < rows && column < columns ? in[row * columns + column] : 0;
  }
  for (int k = 0; k < kRows; ++k) tile[y + k * kThreadRows][x] = values[k];
  __syncthreads();  // a column of the tile comes from all warps
  for (int k = 0; k < kRows; ++k) {
    const int tile_column = y + k * kThreadRows;
    const int out_row = first_column + tile_column, out_column = first_row + x;
    if (out_row < columns && out_column < rows) out[out_row * rows + out_column] = tile[x][tile_column];
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 blocks(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  if (rows % 4 == 0 && columns % 4 == 0) {  // every row of `in` and of `out` starts at a vector
    const dim3 threads(kVectors, kTile);
    transpose_vectors_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  } else {
    const dim3 threads(kTile, kThreadRows);
    transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  }
  CHECK_CUDA(cudaGetLastError());
}
