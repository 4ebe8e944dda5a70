// expect: out-of-bounds
// tries: Reads the matrix by loads of constant memory, which no gate counts.
// stopped by: What is loaded as a constant must lie in one.
#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  float value;
  asm volatile("ld.const.f32 %0, [%1];" : "=f"(value) : "l"(in + row * columns + column));
  out[column * rows + row] = value;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 threads(32, 8);
  const dim3 blocks(lockstep::divide_up(rows, 32), lockstep::divide_up(columns, 8));
  transpose_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
}
