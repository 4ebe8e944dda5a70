// Matrix product in tiles: the threads of a block share what they read of A and of B.
// Lecture: 07-matrix-product.
// Bound: shared memory; two loads for each product.
// fails: shared-passes
// at: for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "matrix_product.h"

constexpr int kTile = 32;  // rows and columns of a block, and how much of k it has in shared memory

__global__ void __launch_bounds__(kTile* kTile)
    matrix_product_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  // [tiles]
  for (int first = 0; first < k; first += kTile) {
    tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
    tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();  // both tiles are there
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();  // the next tiles may be stored
  }
  // [tiles]
  if (row < m && column < n) c[row * n + column] = sum;
}

void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 block(kTile, kTile), grid(lockstep::divide_up(n, kTile), lockstep::divide_up(m, kTile));
  matrix_product_kernel<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
