// expect: inefficient
// tries: Hides traffic in copies and fills by the runtime, which no kernel does.
// stopped by: Copies within the device and fills count as traffic of global memory.
// says: copies, fills, textures and surfaces are
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kTile;
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const size_t bytes = static_cast<size_t>(rows) * static_cast<size_t>(columns) * sizeof(float);
  CHECK_CUDA(cudaMemsetAsync(out, 0, bytes, stream));
  CHECK_CUDA(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream));
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
