// expect: out-of-bounds
// Reads four elements at a time wherever a row starts: rows of an odd length are not aligned to 16 bytes.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int column = (blockIdx.x * kTile + threadIdx.x) * 4;
  const int row = blockIdx.y * kTile + threadIdx.y;
  if (row >= rows) return;
  if (column + 3 < columns) {
    const float4 values = *reinterpret_cast<const float4*>(in + row * columns + column);
    out[column * rows + row] = values.x;
    out[(column + 1) * rows + row] = values.y;
    out[(column + 2) * rows + row] = values.z;
    out[(column + 3) * rows + row] = values.w;
  } else {
    for (int c = column; c < columns; ++c) out[c * rows + row] = in[row * columns + c];
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kTile, kTile);
  const dim3 blocks(lockstep::divide_up(columns, 4 * kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
