// Matrix product with 4 x 4 elements per thread, which uses each value from shared memory 4 times.
// Lecture: 07-matrix-product.
// Bound: shared memory; one load for every two products.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "matrix_product.h"

constexpr int kSide = 16;            // threads of a block along the rows, and along the columns
constexpr int kOwn = 4;              // rows and columns of a thread
constexpr int kTile = kSide * kOwn;  // rows and columns of a block
constexpr int kDepth = 16;           // how much of k a block has in shared memory
constexpr int kThreads = kSide * kSide;

__global__ void __launch_bounds__(kThreads)
    matrix_product_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kDepth], tile_b[kDepth][kTile];
  const int thread = threadIdx.x, x = thread % kSide, y = thread / kSide;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  float sums[kOwn][kOwn] = {};
  for (int first = 0; first < k; first += kDepth) {
    for (int at = thread; at < kTile * kDepth; at += kThreads) {
      const int row = at / kDepth, i = at % kDepth;
      tile_a[row][i] = first_row + row < m && first + i < k ? a[(first_row + row) * k + first + i] : 0;
    }
    for (int at = thread; at < kTile * kDepth; at += kThreads) {
      const int i = at / kTile, column = at % kTile;
      tile_b[i][column] =
          first + i < k && first_column + column < n ? b[(first + i) * n + first_column + column] : 0;
    }
    __syncthreads();  // both tiles are there
    // [products]
    for (int i = 0; i < kDepth; ++i) {
      float of_a[kOwn], of_b[kOwn];
      for (int p = 0; p < kOwn; ++p) of_a[p] = tile_a[y + p * kSide][i];
      for (int q = 0; q < kOwn; ++q) of_b[q] = tile_b[i][x + q * kSide];
      for (int p = 0; p < kOwn; ++p) {
        for (int q = 0; q < kOwn; ++q) sums[p][q] += of_a[p] * of_b[q];
      }
    }
    // [products]
    __syncthreads();  // the next tiles may be stored
  }
  for (int p = 0; p < kOwn; ++p) {
    const int row = first_row + y + p * kSide;
    for (int q = 0; q < kOwn; ++q) {
      const int column = first_column + x + q * kSide;
      if (row < m && column < n) c[row * n + column] = sums[p][q];
    }
  }
}

void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 grid(lockstep::divide_up(n, kTile), lockstep::divide_up(m, kTile));
  matrix_product_kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
