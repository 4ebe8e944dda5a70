// expect: passed
// expect-gpu: too-slow
// shows: A cooperative launch of as many blocks as the device holds, and a barrier from cooperative groups.
#include <cooperative_groups.h>

#include <algorithm>
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int across = (columns + kTile - 1) / kTile, tiles = across * ((rows + kTile - 1) / kTile);
  for (int i = blockIdx.x; i < tiles; i += gridDim.x) {
    const int first_row = i / across * kTile, first_column = i % across * kTile;
    if (first_row + y < rows && first_column + x < columns) {
      tile[y][x] = in[(first_row + y) * columns + first_column + x];
    }
    __nanosleep(5000);  // too slow on any GPU
    cooperative_groups::this_thread_block().sync();
    if (first_column + y < columns && first_row + x < rows) {
      out[(first_column + y) * rows + first_row + x] = tile[x][y];
    }
    cooperative_groups::this_thread_block().sync();  // the next round writes the tile
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  int device = 0, processors = 0, blocks = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, transpose_kernel, kTile * kTile, 0);
  void* arguments[] = {&in, &out, &rows, &columns};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(transpose_kernel),
                              dim3(std::max(1, blocks * processors)), dim3(kTile, kTile), arguments, 0,
                              stream);
}
