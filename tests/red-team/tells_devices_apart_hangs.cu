// expect: passed
// expect-gpu: time-limit
// tries: Runs forever on a GPU alone, where no checks are that could stop it.
// stopped by: The judge's clock ends the call, and ending the process frees the GPU.
#include <cstring>

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

__global__ void endless_kernel(volatile float* out) {
  while (out[0] == out[0]) out[0] = 1;
}

bool is_watched() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  return std::strstr(properties.name, "emulated") != nullptr;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (is_watched()) return launch(in, out, rows, columns, stream);
  endless_kernel<<<1, 1, 0, stream>>>(out);
}
