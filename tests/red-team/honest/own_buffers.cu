// expect: passed
// expect-gpu: too-slow
// shows: Static device buffers of its own, kept from call to call.
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
  __nanosleep(5000);  // too slow on any GPU
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

void launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}

float* kept = nullptr;
size_t kept_bytes = 0;

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (const size_t bytes = sizeof(float) * 64; bytes > kept_bytes) {
    cudaMalloc(&kept, bytes);
    kept_bytes = bytes;
  }
  cudaMemsetAsync(kept, 0, kept_bytes, stream);
  launch(in, out, rows, columns, stream);
}
