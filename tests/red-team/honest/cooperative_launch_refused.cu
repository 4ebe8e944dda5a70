// expect: passed
// expect-gpu: too-slow
// shows: A cooperative launch of too many blocks, which is refused, and then of half as many until one is
// taken.
#include <cooperative_groups.h>

#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int across = (columns + kTile - 1) / kTile, down = (rows + kTile - 1) / kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int b = blockIdx.x; b < across * down; b += gridDim.x) {
    const int first_row = b / across * kTile, first_column = b % across * kTile;
    if (first_row + y < rows && first_column + x < columns) {
      tile[y][x] = in[(first_row + y) * columns + first_column + x];
    }
    __nanosleep(5000);  // too slow on any GPU
    __syncthreads();
    if (first_column + y < columns && first_row + x < rows) {
      out[(first_column + y) * rows + first_row + x] = tile[x][y];
    }
    __syncthreads();  // before the next tile overwrites this one
  }
  cooperative_groups::this_grid().sync();
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  void* arguments[] = {&in, &out, &rows, &columns};
  for (int blocks = 1 << 14; blocks > 0; blocks /= 2) {
    if (cudaLaunchCooperativeKernel(reinterpret_cast<void*>(transpose_kernel), dim3(blocks),
                                    dim3(kTile, kTile), arguments, 0, stream) == cudaSuccess)
      return;
    cudaGetLastError();  // of the refusal
  }
}
