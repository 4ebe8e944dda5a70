// Tensor cores by the wmma interface: a warp for each 16 x 16 elements of C, which loads its fragments of A
// and B from global memory.
// Lecture: 16-tensor-cores.
// Bound: loads; each fragment serves one product of fragments.
// fails: bytes-per-product
// at: wmma::load_matrix_sync(to, reinterpret_cast<const __nv_bfloat16*>(from), row_length);
#include <cuda_bf16.h>
#include <mma.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "tensor_cores.h"

namespace wmma = nvcuda::wmma;

constexpr int kTile = 16;  // rows and columns of a fragment
constexpr int kElements = kTile * kTile;
constexpr int kWarps = 4;  // of a block, one below the other

// [types]
using OfA = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major>;
using OfB = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __nv_bfloat16, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;
// [types]

/// Loads a tile of a matrix that has so many rows and columns left. What is behind an edge becomes 0, by way
/// of `part`.
template <class Fragment>
__device__ void load_tile(Fragment& to, const std::uint16_t* from, int row_length, int rows, int columns,
                          std::uint16_t* part) {
  if (rows >= kTile && columns >= kTile) {
    wmma::load_matrix_sync(to, reinterpret_cast<const __nv_bfloat16*>(from), row_length);
    return;
  }
  for (int at = threadIdx.x % 32; at < kElements; at += 32) {
    const int row = at / kTile, column = at % kTile;
    part[at] = row < rows && column < columns ? from[row * row_length + column] : 0;
  }
  __syncwarp();
  wmma::load_matrix_sync(to, reinterpret_cast<const __nv_bfloat16*>(part), kTile);
  __syncwarp();  // the part may be stored anew
}

__device__ void store_tile(float* to, const Sums& sums, int row_length, int rows, int columns, float* part) {
  if (rows >= kTile && columns >= kTile) {
    wmma::store_matrix_sync(to, sums, row_length, wmma::mem_row_major);
    return;
  }
  wmma::store_matrix_sync(part, sums, kTile, wmma::mem_row_major);
  __syncwarp();
  for (int at = threadIdx.x % 32; at < kElements; at += 32) {
    const int row = at / kTile, column = at % kTile;
    if (row < rows && column < columns) to[row * row_length + column] = part[at];
  }
}

__global__ void __launch_bounds__(32 * kWarps)
    tensor_cores_kernel(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k) {
  __shared__ alignas(32) std::uint16_t parts[kWarps][kElements];
  __shared__ alignas(32) float parts_of_c[kWarps][kElements];
  const int warp = threadIdx.x / 32;
  const int row = (blockIdx.y * kWarps + warp) * kTile, column = blockIdx.x * kTile;
  if (row >= m) return;  // the warp as a whole
  // [multiply]
  OfA of_a;
  OfB of_b;
  Sums sums;
  wmma::fill_fragment(sums, 0.0F);
  for (int i = 0; i < k; i += kTile) {
    load_tile(of_a, a + row * k + i, k, m - row, k - i, parts[warp]);
    load_tile(of_b, b + i * n + column, n, k - i, n - column, parts[warp]);
    wmma::mma_sync(sums, of_a, of_b, sums);
  }
  // [multiply]
  store_tile(c + row * n + column, sums, n, m - row, n - column, parts_of_c[warp]);
}

void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 grid(lockstep::divide_up(n, kTile), lockstep::divide_up(m, kWarps * kTile));
  tensor_cores_kernel<<<grid, 32 * kWarps, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
