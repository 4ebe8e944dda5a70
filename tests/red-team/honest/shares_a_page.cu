// expect: passed
// expect-gpu: too-slow
// shows: Managed memory of which the host reads a word after each call: pages travel, and what has not
// changed in them is no copy.
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32, kWords = 16 * 1024;

__managed__ unsigned launches;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __nanosleep(5000);  // too slow on any GPU
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
  if (blockIdx.x == 0 && blockIdx.y == 0 && x == 0 && y == 0) ++launches;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  static int* const settings = [] {
    int* made = nullptr;
    cudaMallocManaged(&made, kWords * sizeof *made);
    for (int i = 0; i < kWords; ++i) made[i] = i;
    return made;
  }();
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
  cudaStreamSynchronize(stream);
  if (launches == 0 || settings[7] != 7) __builtin_trap();
}
