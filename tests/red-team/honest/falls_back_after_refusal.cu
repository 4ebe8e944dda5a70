// expect: passed
// expect-gpu: too-slow
// shows: Calls and a launch that ask for more than there is; each refusal is looked at, and a smaller launch
// follows.
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

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  constexpr int kTooMuch = 300 << 10;  // bytes of shared memory
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile)), block(kTile, kTile);
  if (cudaFuncSetAttribute(transpose_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kTooMuch) !=
      cudaSuccess)
    cudaGetLastError();
  void* scratch = nullptr;
  if (cudaMallocAsync(&scratch, static_cast<std::size_t>(1) << 45, stream) != cudaSuccess) cudaGetLastError();
  transpose_kernel<<<grid, block, kTooMuch, stream>>>(in, out, rows, columns);
  if (cudaGetLastError() != cudaSuccess) transpose_kernel<<<grid, block, 0, stream>>>(in, out, rows, columns);
}
