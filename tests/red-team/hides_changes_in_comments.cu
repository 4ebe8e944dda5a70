// expect: too-many-changes
// exercise: transpose-bug
// tries: Keeps the broken program, which nobody calls, and hides another one between strings and the name of
// a header that look like the beginning and the end of a comment.
// stopped by: What is a comment is decided as the compiler decides it, and where that is in doubt everything
// counts.
// says: lines changed, at most 4
#include "transpose_bug.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

#if !__has_include(</*>)
constexpr const char* kBegin = "/*";
__global__ void right_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * 32, first_column = blockIdx.x * 32;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}
constexpr const char* kEnd = "*/";
#endif  // */

constexpr int kTile = 32;     // a block of threads covers kTile x kTile elements at a time
constexpr int kMaxRows = 16;  // of blocks: where there are more rows of tiles, a block takes several

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_column = blockIdx.x * kTile;
  for (int first_row = blockIdx.y * kTile; first_row < rows; first_row += gridDim.y * kTile) {
    if (first_row + y < rows && first_column + x < columns) {
      tile[y][x] = in[(first_row + y) * columns + first_column + x];
      __syncthreads();
    }
    if (first_column + y < columns && first_row + x < rows) {
      out[(first_column + y) * rows + first_row + x] = tile[x][y];
    }
  }
}

void transpose_bug(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 all(lockstep::divide_up(columns, 32), lockstep::divide_up(rows, 32));
  return right_kernel<<<all, dim3(32, 32), 0, stream>>>(in, out, rows, columns);
  const int rows_of_tiles = lockstep::divide_up(rows, kTile);
  const dim3 threads(kTile, kTile);
  const dim3 blocks(lockstep::divide_up(columns, kTile), rows_of_tiles < kMaxRows ? rows_of_tiles : kMaxRows);
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
