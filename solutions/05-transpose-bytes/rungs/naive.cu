// fails: global-sectors
// at: out[column * rows + row] = in[row * columns + column];
// Transpose of bytes, one thread a byte, nothing else. Lecture: 05-transpose.
// Bound: the writes of a warp are `rows` bytes apart, so each lane moves a sector of 32 bytes for one.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose_bytes.h"

constexpr int kTile = 32;

__global__ void transpose_bytes_kernel(const unsigned char* in, unsigned char* out, int rows, int columns) {
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  if (row < rows && column < columns) {
    out[column * rows + row] = in[row * columns + column];
  }
}

void transpose_bytes(const unsigned char* in, unsigned char* out, int rows, int columns,
                     cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kTile, kTile);
  const dim3 blocks(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_bytes_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
