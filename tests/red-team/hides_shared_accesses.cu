// expect: inefficient
// tries: Reads a tile without padding by generic addresses and atomics, which name no shared memory.
// stopped by: Accesses are counted by the memory that they reach, whatever instruction makes them.
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__device__ __noinline__ float value_at(float* from) { return atomicAdd(from, 0.0f); }

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = value_at(&tile[x][y]);
  }
}

void launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  launch(in, out, rows, columns, stream);
}
