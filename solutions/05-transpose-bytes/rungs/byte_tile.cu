// fails: shared-passes
// at: tile[y][x] = in[(first_row + y) * columns + first_column + x];
// Transpose of bytes through a tile of bytes: rows move in whole sectors. Lecture: 05-transpose.
// Bound: a lane moves a byte in each request, a quarter of what a bank delivers.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose_bytes.h"

constexpr int kTile = 32;

__global__ void transpose_bytes_kernel(const unsigned char* in, unsigned char* out, int rows, int columns) {
  // Rows of 36 bytes are nine words, an odd number: a column lies in 32 different banks.
  __shared__ unsigned char tile[kTile][kTile + 4];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();  // a column of the tile comes from all warps
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

void transpose_bytes(const unsigned char* in, unsigned char* out, int rows, int columns,
                     cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kTile, kTile);
  const dim3 blocks(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_bytes_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
