// Product of matrices of bfloat16 without tensor cores: elements become floats on their way into shared
// memory, and each thread has 4 x 4 sums in registers.
// Lecture: 16-tensor-cores.
// Bound: shared memory, and then multiply-adds, of which there is one for each product.
// fails: lane-instructions
// at: for (int q = 0; q < kOwn; ++q) sums[p][q] += of_a[p] * of_b[q];
// fails: shared-passes
// at: for (int p = 0; p < kOwn; ++p) of_a[p] = tile_a[y + p * kSide][i];
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "tensor_cores.h"

constexpr int kSide = 16;            // threads of a block along the rows, and along the columns
constexpr int kOwn = 4;              // rows and columns of a thread
constexpr int kTile = kSide * kOwn;  // rows and columns of a block
constexpr int kDepth = 16;           // how much of k a block has in shared memory
constexpr int kThreads = kSide * kSide;

/// A bfloat16 is the upper half of a float.
__device__ float to_float(std::uint16_t bits) { return __uint_as_float(unsigned{bits} << 16); }

__global__ void __launch_bounds__(kThreads)
    tensor_cores_kernel(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kDepth], tile_b[kDepth][kTile];
  const int thread = threadIdx.x, x = thread % kSide, y = thread / kSide;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  float sums[kOwn][kOwn] = {};
  for (int first = 0; first < k; first += kDepth) {
    for (int at = thread; at < kTile * kDepth; at += kThreads) {
      const int row = at / kDepth, i = at % kDepth;
      const bool exists = first_row + row < m && first + i < k;
      tile_a[row][i] = exists ? to_float(a[(first_row + row) * k + first + i]) : 0;
    }
    for (int at = thread; at < kTile * kDepth; at += kThreads) {
      const int i = at / kTile, column = at % kTile;
      const bool exists = first + i < k && first_column + column < n;
      tile_b[i][column] = exists ? to_float(b[(first + i) * n + first_column + column]) : 0;
    }
    __syncthreads();  // both tiles are there
    for (int i = 0; i < kDepth; ++i) {
      float of_a[kOwn], of_b[kOwn];
      for (int p = 0; p < kOwn; ++p) of_a[p] = tile_a[y + p * kSide][i];
      for (int q = 0; q < kOwn; ++q) of_b[q] = tile_b[i][x + q * kSide];
      for (int p = 0; p < kOwn; ++p) {
        for (int q = 0; q < kOwn; ++q) sums[p][q] += of_a[p] * of_b[q];
      }
    }
    __syncthreads();  // the next tiles may be stored
  }
  for (int p = 0; p < kOwn; ++p) {
    for (int q = 0; q < kOwn; ++q) {
      const int row = first_row + y + p * kSide, column = first_column + x + q * kSide;
      if (row < m && column < n) c[row * n + column] = sums[p][q];
    }
  }
}

void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 grid(lockstep::divide_up(n, kTile), lockstep::divide_up(m, kTile));
  tensor_cores_kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
