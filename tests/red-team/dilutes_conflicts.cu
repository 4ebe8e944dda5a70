// expect: inefficient
// tries: Hides bank conflicts among many reads of shared memory that serve nothing.
// stopped by: The gate counts wavefronts beyond the fewest for every 32 elements, not for every access.
// says: = tile[x][y];
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile];
  __shared__ int zeros[kTile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kTile;
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  if (y == 0) zeros[x] = 0;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  const volatile int* reads = zeros;
  int sum = 0;
  for (int i = 0; i < 80; ++i) sum += reads[x];
  if (first_column + y < columns && first_row + x < rows && sum == 0) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
