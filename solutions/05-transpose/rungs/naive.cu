// fails: global-sectors
// at: out[column * rows + row] = in[row * columns + column];
// Transpose, one thread an element, nothing else. Lecture: 05-transpose.
// Bound: the writes of a warp are `rows` floats apart, so each lane moves a sector of 32 bytes for 4.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

// [naive-kernel]
__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  if (row < rows && column < columns) {  // the last tiles stick out of the matrix
    out[column * rows + row] = in[row * columns + column];
  }
}
// [naive-kernel]

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kTile, kTile);
  const dim3 blocks(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
