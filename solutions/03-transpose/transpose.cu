// Transpose, sixteen elements a thread in accesses of 16 bytes, the reference. Lecture: 03-transpose.
// Bound: memory bandwidth. Every sector is moved once and whole, every wavefront of shared memory is full.
#include "transpose.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kWideTile = 64;            // elements along a side of a block's tile
constexpr int kVectors = kWideTile / 4;  // the same in vectors; also threads along a side of the block
constexpr int kStrip = 4;        // tiles side by side in a strip, which is worked down tile row by tile row
constexpr int kScalarTile = 32;  // for rows that are not aligned to vectors
constexpr int kScalarThreadRows = 8;  // each thread moves kScalarTile / kScalarThreadRows elements

__device__ float4 load_vector(const float* from) { return *reinterpret_cast<const float4*>(from); }

__global__ void transpose_wide_kernel(const float* in, float* out, int rows, int columns) {
  // Row c of the tile is column c of `in`. Its vector v lies at place v ^ (c / 4): the eight lanes that share
  // a wavefront then meet all 32 banks, whether they write down the tile or read along its rows.
  __shared__ float4 tile[kWideTile][kVectors];
  const int x = threadIdx.x, y = threadIdx.y;
  // [wide-load]
  const int first_row = blockIdx.y * kWideTile;
  const int first_column = (blockIdx.z * kStrip + blockIdx.x) * kWideTile;
  const int row = first_row + 4 * y, column = first_column + 4 * x;
  if (row < rows && column < columns) {  // both are multiples of 4, so all 4 x 4 elements are inside
    const float* const corner = in + row * columns + column;
    const float4 a = load_vector(corner), b = load_vector(corner + columns);
    const float4 c = load_vector(corner + 2 * columns), d = load_vector(corner + 3 * columns);
    tile[4 * x + 0][y ^ x] = make_float4(a.x, b.x, c.x, d.x);
    tile[4 * x + 1][y ^ x] = make_float4(a.y, b.y, c.y, d.y);
    tile[4 * x + 2][y ^ x] = make_float4(a.z, b.z, c.z, d.z);
    tile[4 * x + 3][y ^ x] = make_float4(a.w, b.w, c.w, d.w);
  }
  // [wide-load]
  __syncthreads();  // a row of the tile comes from sixteen threads
  // [wide-store]
  const int out_column = first_row + 4 * x;
  for (int tile_row = y; tile_row < kWideTile; tile_row += kVectors) {
    const int out_row = first_column + tile_row;
    if (out_row < columns && out_column < rows) {
      float* const to = out + out_row * rows + out_column;
      *reinterpret_cast<float4*>(to) = tile[tile_row][x ^ (tile_row / 4)];
    }
  }
  // [wide-store]
}

// [scalar-kernel]
__global__ void transpose_scalar_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kScalarTile][kScalarTile + 1];  // padded: a column lies in 32 different banks
  const int x = threadIdx.x;
  const int first_row = blockIdx.y * kScalarTile, first_column = blockIdx.x * kScalarTile;
  for (int y = threadIdx.y; y < kScalarTile; y += kScalarThreadRows) {
    if (first_row + y < rows && first_column + x < columns) {
      tile[y][x] = in[(first_row + y) * columns + first_column + x];
    }
  }
  __syncthreads();  // a column of the tile comes from other warps
  for (int y = threadIdx.y; y < kScalarTile; y += kScalarThreadRows) {
    if (first_column + y < columns && first_row + x < rows) {
      out[(first_column + y) * rows + first_row + x] = tile[x][y];
    }
  }
}
// [scalar-kernel]

// [wide-or-scalar]
void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;                            // a grid without blocks is an error
  const bool rows_are_aligned = rows % 4 == 0 && columns % 4 == 0;  // of `out` and of `in`
  if (rows_are_aligned) {
    // Blocks start with x running fastest, then y: strip after strip, each from top to bottom.
    const int strips = lockstep::divide_up(columns, kStrip * kWideTile);
    const dim3 blocks(kStrip, lockstep::divide_up(rows, kWideTile), strips);
    const dim3 threads(kVectors, kVectors);
    transpose_wide_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  } else {
    const dim3 blocks(lockstep::divide_up(columns, kScalarTile), lockstep::divide_up(rows, kScalarTile));
    const dim3 threads(kScalarTile, kScalarThreadRows);
    transpose_scalar_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  }
  CHECK_CUDA(cudaGetLastError());
}
// [wide-or-scalar]
