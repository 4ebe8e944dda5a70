// Transpose of bytes, packed by column: four bytes of a column are a word of a row of `out`.
// Lecture: 05-transpose.
// Bound: memory, with four times the load requests that words would take.
#include <cstdint>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose_bytes.h"

constexpr int kLanes = 32;         // threads along each side of a block
constexpr int kRows = 4 * kLanes;  // of `in`, which a block's tile has

__global__ void transpose_bytes_kernel(const unsigned char* in, unsigned char* out, int rows, int columns) {
  __shared__ std::uint32_t tile[kLanes][kLanes + 1];  // padded: a column of words lies in 32 banks
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kRows, first_column = blockIdx.x * kLanes;
  const int row = first_row + 4 * y, column = first_column + x;
  std::uint32_t word = 0;
  for (int k = 0; k < 4; ++k) {
    const bool is_inside = row + k < rows && column < columns;
    word |= is_inside ? std::uint32_t{in[(row + k) * columns + column]} << 8 * k : 0;
  }
  tile[x][y] = word;
  __syncthreads();  // a row of the tile comes from all warps
  const int out_row = first_column + y, out_column = first_row + 4 * x;
  if (out_row >= columns || out_column >= rows) return;
  word = tile[y][x];
  unsigned char* const to = out + out_row * rows + out_column;
  if (rows % 4 == 0) {
    *reinterpret_cast<std::uint32_t*>(to) = word;
  } else {  // rows of `out` start anywhere, and end anywhere
    for (int k = 0; k < 4; ++k)
      if (out_column + k < rows) to[k] = word >> 8 * k;
  }
}

void transpose_bytes(const unsigned char* in, unsigned char* out, int rows, int columns,
                     cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kLanes, kLanes);
  const dim3 blocks(lockstep::divide_up(columns, kLanes), lockstep::divide_up(rows, kRows));
  transpose_bytes_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
