// Transpose of a matrix of bytes, in words of four bytes, the reference. Lecture: 05-transpose.
// Bound: memory. A thread moves a square of 4 x 4 bytes, and transposes it in registers; the block
// transposes the squares through shared memory.
#include "transpose_bytes.h"

#include <cstdint>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kSquares = 32;  // along each side of a block's tile, one for each thread
constexpr int kTile = 4 * kSquares;

/// The four bytes at `from`; where rows start anywhere, `count` of them one by one, and then zeros.
__device__ std::uint32_t load_four(const unsigned char* from, int count, bool is_word) {
  if (is_word) return *reinterpret_cast<const std::uint32_t*>(from);
  std::uint32_t word = 0;
  for (int k = 0; k < 4; ++k) word |= k < count ? std::uint32_t{from[k]} << 8 * k : 0;
  return word;
}

/// Writes what load_four() reads.
__device__ void store_four(unsigned char* to, std::uint32_t word, int count, bool is_word) {
  if (is_word) {
    *reinterpret_cast<std::uint32_t*>(to) = word;
  } else {
    for (int k = 0; k < 4; ++k)
      if (k < count) to[k] = word >> 8 * k;
  }
}

/// Makes the rows of a square of 4 x 4 bytes its columns. A digit of a selector is the number of a byte: 0 to
/// 3 of the first word, 4 to 7 of the second.
__device__ void transpose_square(std::uint32_t (&words)[4]) {
  const std::uint32_t left_above = __byte_perm(words[0], words[1], 0x5140);
  const std::uint32_t right_above = __byte_perm(words[0], words[1], 0x7362);
  const std::uint32_t left_below = __byte_perm(words[2], words[3], 0x5140);
  const std::uint32_t right_below = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(left_above, left_below, 0x5410);
  words[1] = __byte_perm(left_above, left_below, 0x7632);
  words[2] = __byte_perm(right_above, right_below, 0x5410);
  words[3] = __byte_perm(right_above, right_below, 0x7632);
}

__global__ void transpose_bytes_kernel(const unsigned char* in, unsigned char* out, int rows, int columns) {
  // Word k of every square lies in tile k. In a single one, lanes that take word k would be four rows apart,
  // and no length of its rows spreads those over more than eight banks.
  __shared__ std::uint32_t tile[4][kSquares][kSquares + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  const int row = first_row + 4 * y, column = first_column + 4 * x;
  std::uint32_t words[4] = {};
  for (int k = 0; k < 4; ++k) {
    if (row + k < rows && column < columns)
      words[k] = load_four(in + (row + k) * columns + column, columns - column, columns % 4 == 0);
  }
  transpose_square(words);
  for (int k = 0; k < 4; ++k) tile[k][y][x] = words[k];
  __syncthreads();  // a column of squares comes from all warps
  const int out_row = first_column + 4 * y, out_column = first_row + 4 * x;
  for (int k = 0; k < 4; ++k) {
    if (out_row + k < columns && out_column < rows)
      store_four(out + (out_row + k) * rows + out_column, tile[k][x][y], rows - out_column, rows % 4 == 0);
  }
}

void transpose_bytes(const unsigned char* in, unsigned char* out, int rows, int columns,
                     cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const dim3 threads(kSquares, kSquares);
  const dim3 blocks(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_bytes_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
