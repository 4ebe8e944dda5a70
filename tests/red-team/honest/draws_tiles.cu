// expect: passed
// expect-gpu: too-slow
// shows: Few blocks that stay and draw the number of their next tile from a counter. On the emulated device
// the first may draw them all.
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32, kBlocks = 264;

__device__ unsigned next_tile;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns, int tiles_across,
                                 int tiles) {
  __shared__ float tile[kTile][kTile + 1];
  __shared__ int drawn;
  const int x = threadIdx.x, y = threadIdx.y;
  while (true) {
    if (x == 0 && y == 0) drawn = atomicAdd(&next_tile, 1);
    __nanosleep(5000);  // too slow on any GPU
    __syncthreads();
    const int number = drawn;
    if (number >= tiles) return;
    const int first_row = number / tiles_across * kTile, first_column = number % tiles_across * kTile;
    if (first_row + y < rows && first_column + x < columns) {
      tile[y][x] = in[(first_row + y) * columns + first_column + x];
    }
    __syncthreads();
    if (first_column + y < columns && first_row + x < rows) {
      out[(first_column + y) * rows + first_row + x] = tile[x][y];
    }
    __syncthreads();
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  void* counter = nullptr;
  cudaGetSymbolAddress(&counter, next_tile);
  cudaMemsetAsync(counter, 0, sizeof next_tile, stream);
  const int tiles_across = lockstep::divide_up(columns, kTile);
  const int tiles = tiles_across * lockstep::divide_up(rows, kTile);
  transpose_kernel<<<kBlocks, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns, tiles_across, tiles);
}
