// expect: wrong-answer
// tries: Keeps each result, and brings it again when it sees the same pointer.
// stopped by: Every call has fresh inputs, those of one case in the same buffers.
#include <vector>

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

void launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}

struct Kept {
  const float* in;
  float* copy;
};
std::vector<Kept> kept;

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const size_t bytes = sizeof(float) * rows * columns;
  for (const Kept& one : kept) {
    if (one.in != in) continue;
    cudaMemcpyAsync(out, one.copy, bytes, cudaMemcpyDeviceToDevice, stream);
    return;
  }
  launch(in, out, rows, columns, stream);
  float* copy = nullptr;
  if (cudaMalloc(&copy, bytes) != cudaSuccess) return;
  cudaMemcpyAsync(copy, out, bytes, cudaMemcpyDeviceToDevice, stream);
  kept.push_back({in, copy});
}
