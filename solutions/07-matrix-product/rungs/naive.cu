// Matrix product with a thread for each element, which reads its row of A and its column of B.
// Lecture: 07-matrix-product.
// Bound: loads; each product takes two of them.
// fails: bytes-per-product
// at: for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "matrix_product.h"

constexpr int kWidth = 32, kHeight = 8;  // of a block, in elements of C

// [kernel]
__global__ void matrix_product_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * kWidth + threadIdx.x, row = blockIdx.y * kHeight + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
// [kernel]

void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 block(kWidth, kHeight), grid(lockstep::divide_up(n, kWidth), lockstep::divide_up(m, kHeight));
  matrix_product_kernel<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
