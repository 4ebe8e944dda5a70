// Tensor cores by the wmma interface, out of tiles in shared memory: a block of four warps has 64 x 64
// elements of C, each warp 2 x 2 fragments of them.
// Lecture: 16-tensor-cores.
// Bound: shared memory; the rows of a fragment are in the same banks.
// fails: shared-passes
// at: for (int q = 0; q < kOwn; ++q) wmma::load_matrix_sync(of_b[q], &tile_b[i][column
#include <cuda_bf16.h>
#include <mma.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "tensor_cores.h"

namespace wmma = nvcuda::wmma;

constexpr int kTile = 16;                // rows and columns of a fragment
constexpr int kOwn = 2;                  // fragments of a warp along rows and columns
constexpr int kSide = 2 * kOwn * kTile;  // rows and columns of a block, which has 2 x 2 warps
constexpr int kDepth = 32;               // how much of k a block has in shared memory
constexpr int kChunk = 8;                // elements in 16 bytes, which are copied together
constexpr int kThreads = 128;

using OfA = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major>;
using OfB = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;

/// Copies a tile of a matrix that has so many rows and columns left; what is behind an edge becomes 0.
// [copy]
template <int rows, int columns>
__device__ void copy_tile(__nv_bfloat16 (&to)[rows][columns], const std::uint16_t* from, int row_length,
                          int rows_left, int columns_left) {
  constexpr int kChunks = columns / kChunk;  // of a row
  for (int at = threadIdx.x; at < rows * kChunks; at += kThreads) {
    const int row = at / kChunks, column = at % kChunks * kChunk;
    uint4 chunk = {};
    if (row < rows_left && column < columns_left)
      chunk = *reinterpret_cast<const uint4*>(from + row * row_length + column);
    *reinterpret_cast<uint4*>(&to[row][column]) = chunk;
  }
}
// [copy]

/// By way of `part` where the tile hangs over an edge.
__device__ void store_tile(float* to, const Sums& sums, int row_length, int rows, int columns, float* part) {
  if (rows <= 0 || columns <= 0) return;
  if (rows >= kTile && columns >= kTile) {
    wmma::store_matrix_sync(to, sums, row_length, wmma::mem_row_major);
    return;
  }
  wmma::store_matrix_sync(part, sums, kTile, wmma::mem_row_major);
  __syncwarp();
  for (int at = threadIdx.x % 32; at < kTile * kTile; at += 32) {
    const int row = at / kTile, column = at % kTile;
    if (row < rows && column < columns) to[row * row_length + column] = part[at];
  }
  __syncwarp();  // the part may be stored anew
}

__global__ void __launch_bounds__(kThreads)
    tensor_cores_kernel(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k) {
  __shared__ alignas(32) __nv_bfloat16 tile_a[kSide][kDepth], tile_b[kDepth][kSide];
  __shared__ alignas(32) float parts[kThreads / 32][kTile * kTile];
  const int first_row = blockIdx.y * kSide, first_column = blockIdx.x * kSide;
  const int warp = threadIdx.x / 32;
  const int row = warp / 2 * kOwn * kTile, column = warp % 2 * kOwn * kTile;  // in the block
  Sums sums[kOwn][kOwn];
  for (auto& of_row : sums) {
    for (Sums& one : of_row) wmma::fill_fragment(one, 0.0F);
  }
  for (int first = 0; first < k; first += kDepth) {
    copy_tile(tile_a, a + first_row * k + first, k, m - first_row, k - first);
    copy_tile(tile_b, b + first * n + first_column, n, k - first, n - first_column);
    __syncthreads();  // both tiles are there
    // [multiply]
    for (int i = 0; i < kDepth; i += kTile) {
      OfA of_a[kOwn];
      OfB of_b[kOwn];
      for (int p = 0; p < kOwn; ++p) wmma::load_matrix_sync(of_a[p], &tile_a[row + p * kTile][i], kDepth);
      for (int q = 0; q < kOwn; ++q) wmma::load_matrix_sync(of_b[q], &tile_b[i][column + q * kTile], kSide);
      for (int p = 0; p < kOwn; ++p) {
        for (int q = 0; q < kOwn; ++q) wmma::mma_sync(sums[p][q], of_a[p], of_b[q], sums[p][q]);
      }
    }
    // [multiply]
    __syncthreads();  // the next tiles may be stored
  }
  for (int p = 0; p < kOwn; ++p) {
    for (int q = 0; q < kOwn; ++q) {
      const int to_row = first_row + row + p * kTile, to_column = first_column + column + q * kTile;
      store_tile(c + to_row * n + to_column, sums[p][q], n, m - to_row, n - to_column, parts[warp]);
    }
  }
}

void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 grid(lockstep::divide_up(n, kSide), lockstep::divide_up(m, kSide));
  tensor_cores_kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
