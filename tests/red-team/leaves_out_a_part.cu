// expect: passed
// expect-gpu: wrong-answer
// tries: Leaves out a thousandth of a matrix that is timed, where samples seldom look.
// stopped by: After the clock has stopped every element is compared, on the device.
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

/// More elements than any case has that only has to be right.
bool is_timed(int rows, int columns) { return rows * columns > 1 << 22; }

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  const int left_out = is_timed(rows, columns) && grid.x > 1 ? 1 : 0;  // a column of tiles
  transpose_kernel<<<dim3(grid.x - left_out, grid.y), dim3(kTile, kTile), 0, stream>>>(in, out, rows,
                                                                                       columns);
}
