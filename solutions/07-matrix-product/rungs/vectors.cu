// Matrix product with 8 x 8 elements per thread, whose values come from shared memory four at a time.
// Lecture: 07-matrix-product.
// Bound: latency; the next tiles are loaded only when the products of these are done.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "matrix_product.h"

constexpr int kSide = 16;         // threads of a block along the rows, and along the columns
constexpr int kHalf = kSide * 4;  // a thread's second four rows and columns lie so far behind its first
constexpr int kTile = 2 * kHalf;  // rows and columns of a block
constexpr int kDepth = 8;         // how much of k a block has in shared memory
constexpr int kThreads = kSide * kSide;
constexpr int kPitch = kTile + 4;  // of the columns of A: lanes that store two of them use other banks

/// Four neighbours of a row from element `first` on, 0 behind its end. `vectors`: every row begins at a
/// multiple of 16 bytes.
template <bool vectors>
__device__ float4 load_four(const float* row, int first, int length) {
  if (vectors) return first < length ? *reinterpret_cast<const float4*>(row + first) : float4{};
  const auto at = [&](int i) { return first + i < length ? row[first + i] : 0; };
  return {at(0), at(1), at(2), at(3)};
}

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

template <bool vectors>
__global__ void __launch_bounds__(kThreads)
    matrix_product_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ alignas(16) float tile_a[kDepth][kPitch];  // a column of A after the other
  __shared__ alignas(16) float tile_b[kDepth][kTile];
  const int thread = threadIdx.x, x = thread % kSide, y = thread / kSide;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  const int row = thread / 2, own_i = thread % 2 * 4;         // of A, what this thread loads
  const int own_row = thread / 32, column = thread % 32 * 4;  // of B
  const bool has_row = first_row + row < m;
  const float* const row_of_a = has_row ? a + static_cast<std::size_t>(first_row + row) * k : a;
  float sums[8][8] = {};
  for (int first = 0; first < k; first += kDepth) {
    // [transposed]
    const float4 of_row = load_four<vectors>(row_of_a, first + own_i, has_row ? k : 0);
    tile_a[own_i][row] = of_row.x;
    tile_a[own_i + 1][row] = of_row.y;
    tile_a[own_i + 2][row] = of_row.z;
    tile_a[own_i + 3][row] = of_row.w;
    // [transposed]
    const bool has_row_of_b = first + own_row < k;
    const float* const row_of_b = has_row_of_b ? b + static_cast<std::size_t>(first + own_row) * n : b;
    *reinterpret_cast<float4*>(&tile_b[own_row][column]) =
        load_four<vectors>(row_of_b, first_column + column, has_row_of_b ? n : 0);
    __syncthreads();  // both tiles are there
    for (int i = 0; i < kDepth; ++i) {
      // [eight]
      const float4 a_low = four_at(&tile_a[i][4 * y]), a_high = four_at(&tile_a[i][kHalf + 4 * y]);
      const float4 b_low = four_at(&tile_b[i][4 * x]), b_high = four_at(&tile_b[i][kHalf + 4 * x]);
      const float of_a[] = {a_low.x, a_low.y, a_low.z, a_low.w, a_high.x, a_high.y, a_high.z, a_high.w};
      const float of_b[] = {b_low.x, b_low.y, b_low.z, b_low.w, b_high.x, b_high.y, b_high.z, b_high.w};
      for (int p = 0; p < 8; ++p) {
        for (int q = 0; q < 8; ++q) sums[p][q] += of_a[p] * of_b[q];
      }
      // [eight]
    }
    __syncthreads();  // the next tiles may be stored
  }
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
  const bool vectors = n % 4 == 0 && k % 4 == 0;
  const auto kernel = vectors ? matrix_product_kernel<true> : matrix_product_kernel<false>;
  kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
