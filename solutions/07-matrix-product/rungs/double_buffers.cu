// Matrix product with 8 x 8 elements per thread, and asynchronous copies into one pair of tiles while the
// products of another are formed.
// Lecture: 07-matrix-product.
// Bound: arithmetic, of which it reaches three fifths.
#include <cuda_pipeline.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "matrix_product.h"

constexpr int kSide = 16;         // threads of a block along the rows, and along the columns
constexpr int kHalf = kSide * 4;  // a thread's second four rows and columns lie so far behind its first
constexpr int kTile = 2 * kHalf;  // rows and columns of a block
constexpr int kDepth = 16;        // how much of k a block has in a pair of tiles
constexpr int kThreads = kSide * kSide;
constexpr int kNeighbours = 8;     // of a row of A, which neighbouring lanes copy
constexpr int kPitch = kTile + 4;  // of the columns of A: these lanes write to different banks

/// Of a pair: a part of A, a column after the other, and a part of B.
struct Tiles {
  alignas(16) float a[kDepth][kPitch];
  alignas(16) float b[kDepth][kTile];
};

/// Begins to copy `count` neighbours to shared memory, or as many zeros where they do not exist.
template <int count>
__device__ void copy_elements(float* to, const float* from, bool exist) {
  constexpr std::size_t kBytes = count * sizeof(float);
  __pipeline_memcpy_async(to, from, kBytes, exist ? 0 : kBytes);
}

/// What a thread copies: of A an element of every 32nd row, of B vectors, or elements, of a column.
template <bool vectors>
class Copier {
 public:
  __device__ Copier(const float* a, const float* b, int m, int n, int k) : a_(a), b_(b), n_(n), k_(k) {
    // Behind the last row and column the last ones are copied: the products with them are not stored.
    for (int j = 0; j < kRows; ++j) {
      const int row = min(blockIdx.y * kTile + row_of_a(j), m - 1);
      rows_[j] = a + static_cast<std::size_t>(row) * k;
    }
    column_ = min(blockIdx.x * kTile + column_of_b(), n - kCount);
  }

  /// Begins to copy the tiles that stand `first` elements from the beginning of A's rows.
  __device__ void begin(Tiles& tiles, int first) const {
    for (int i = threadIdx.x % kNeighbours; i < kDepth; i += kNeighbours) {
      const bool exist = first + i < k_;
      for (int j = 0; j < kRows; ++j)
        copy_elements<1>(&tiles.a[i][row_of_a(j)], exist ? rows_[j] + first + i : a_, exist);
    }
    for (int i = kCount * threadIdx.x / kTile; i < kDepth; i += kCount * kThreads / kTile) {
      const bool exist = first + i < k_;
      const float* const from = exist ? b_ + static_cast<std::size_t>(first + i) * n_ + column_ : b_;
      copy_elements<kCount>(&tiles.b[i][column_of_b()], from, exist);
    }
    __pipeline_commit();
  }

 private:
  static constexpr int kCount = vectors ? 4 : 1, kRows = kTile * kNeighbours / kThreads;

  static __device__ int row_of_a(int j) { return threadIdx.x / kNeighbours + j * (kThreads / kNeighbours); }
  static __device__ int column_of_b() { return kCount * threadIdx.x % kTile; }

  const float *a_, *b_, *rows_[kRows];
  int n_, k_, column_;
};

template <bool vectors>
__device__ void store_four(float* row, int first, int length, float4 values) {
  if (vectors) {
    if (first < length) *reinterpret_cast<float4*>(row + first) = values;
    return;
  }
  const auto store = [&](int i, float value) {
    if (first + i < length) row[first + i] = value;
  };
  store(0, values.x);
  store(1, values.y);
  store(2, values.z);
  store(3, values.w);
}

__device__ float4 four_at(const float* shared) { return *reinterpret_cast<const float4*>(shared); }

/// Of four rows from 4 y on and four further ones, and of columns likewise from 4 x on.
__device__ void add_products(float (&sums)[8][8], const Tiles& tiles, int x, int y) {
#pragma unroll  // so that values are loaded while the products before are formed
  for (int i = 0; i < kDepth; ++i) {
    const float4 a_low = four_at(&tiles.a[i][4 * y]), a_high = four_at(&tiles.a[i][kHalf + 4 * y]);
    const float4 b_low = four_at(&tiles.b[i][4 * x]), b_high = four_at(&tiles.b[i][kHalf + 4 * x]);
    const float of_a[] = {a_low.x, a_low.y, a_low.z, a_low.w, a_high.x, a_high.y, a_high.z, a_high.w};
    const float of_b[] = {b_low.x, b_low.y, b_low.z, b_low.w, b_high.x, b_high.y, b_high.z, b_high.w};
    for (int p = 0; p < 8; ++p) {
      for (int q = 0; q < 8; ++q) sums[p][q] += of_a[p] * of_b[q];
    }
  }
}

template <bool vectors>
__global__ void __launch_bounds__(kThreads, 2)  // blocks of a multiprocessor: up to 128 registers
    matrix_product_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ Tiles tiles[2];
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  float sums[8][8] = {};
  const Copier<vectors> copier(a, b, m, n, k);
  // [two-pairs]
  copier.begin(tiles[0], 0);
  for (int first = 0, pair = 0; first < k; first += kDepth, pair ^= 1) {
    __pipeline_wait_prior(0);  // the copies of this thread have arrived
    __syncthreads();           // those of all have, and all have used the other pair
    copier.begin(tiles[pair ^ 1], first + kDepth);
    add_products(sums, tiles[pair], x, y);
  }
  // [two-pairs]
  __pipeline_wait_prior(0);  // no copy is in flight when the block ends
  for (int p = 0; p < 8; ++p) {
    const int of_c = first_row + 4 * y + (p < 4 ? p : kHalf + p - 4);
    if (of_c >= m) continue;
    const float* const own = sums[p];
    float* const row_of_c = c + static_cast<std::size_t>(of_c) * n;
    store_four<vectors>(row_of_c, first_column + 4 * x, n, {own[0], own[1], own[2], own[3]});
    store_four<vectors>(row_of_c, first_column + kHalf + 4 * x, n, {own[4], own[5], own[6], own[7]});
  }
}

void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 grid(lockstep::divide_up(n, kTile), lockstep::divide_up(m, kTile));
  const bool vectors = n % 4 == 0;  // rows of B and C begin at multiples of 16 bytes
  const auto kernel = vectors ? matrix_product_kernel<true> : matrix_product_kernel<false>;
  kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
