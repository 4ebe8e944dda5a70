// expect: passed
// expect-gpu: wrong-answer
// tries: Uses the input as scratch where it is timed, and leaves it changed.
// stopped by: After the clock has stopped the inputs are compared with their originals, on the device.
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(float* in, float* out, int rows, int columns, bool scratch) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    float& element = in[(first_row + y) * columns + first_column + x];
    tile[y][x] = element;
    if (scratch && first_row + first_column + x + y == 0) element = 0;
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
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(const_cast<float*>(in), out, rows, columns,
                                                            is_timed(rows, columns));
}
