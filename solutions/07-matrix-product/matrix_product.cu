// Matrix product, the reference: tiles of 64 x 128 elements, or smaller ones that keep all multiprocessors
// busy; asynchronous copies two pairs of tiles ahead; values of the next step loaded during the products of
// this one.
// Lecture: 07-matrix-product.
// Bound: arithmetic; 64 products for 16 values from shared memory.
// Source: A. Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++", 2017: tiles of blocks, warps, threads.
#include <cuda_pipeline.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "matrix_product.h"

constexpr int kMultiprocessors = 132;            // of an H200; it decides which shape is fastest
constexpr int kPairs = 3;                        // of tiles in shared memory
constexpr int kDepth = 16;                       // how much of k a block has in a pair
constexpr int kLanesDown = 4, kLanesAcross = 8;  // how the threads of a warp share its elements of C

/// How C is shared out: `own` x `own` elements to a thread, `down` x `across` warps to a block, and
/// `resident` blocks to a multiprocessor. `speed`: of a GPU full of such blocks, in percent of the fastest.
template <int own, int down, int across, int resident, int speed>
struct Shape {
  static constexpr int kOwn = own, kWarpsAcross = across, kResident = resident, kSpeed = speed;
  static constexpr int kThreads = 32 * down * across;
  static constexpr int kWarpRows = kLanesDown * own, kWarpColumns = kLanesAcross * own;
  static constexpr int kRows = down * kWarpRows, kColumns = across * kWarpColumns;  // of a block
};
using Wide = Shape<8, 2, 2, 4, 100>;
using Tall = Shape<8, 4, 1, 3, 100>;
using Small = Shape<4, 2, 2, 8, 75>;

/// A part of A, transposed, and a part of B. Rows of A's tile are 4 words longer, so that a warp that stores
/// 4 elements of each of 8 rows meets every bank once.
template <class Shape>
struct Tiles {
  alignas(16) float a[kDepth][Shape::kRows + 4];
  alignas(16) float b[kDepth][Shape::kColumns];
};

/// Copies the tiles of a block one after the other along k: of A single elements, which transposes them, and
/// of B `count` neighbours at a time, 1 or 4.
template <class Shape, int count>
class Copier {
 public:
  __device__ Copier(const float* a, const float* b, int m, int n, int k) : n_(n), left_(k) {
    const int first_row = blockIdx.y * Shape::kRows, first_column = blockIdx.x * Shape::kColumns;
    a_ = a + static_cast<std::size_t>(first_row) * k;
    b_ = b + first_column;
    // Behind the last row and column the last ones are copied again: the products with them are not stored.
    const int last_row = min(Shape::kRows, m - first_row) - 1;
    const int last_column = min(Shape::kColumns, n - first_column) - count;
    for (int j = 0; j < kCopiesOfA; ++j)
      a_offsets_[j] = min(row_of_a() + j * kRowsOfA, last_row) * k + i_of_a();
    b_offset_ = i_of_b() * n + min(column_of_b(), last_column);
  }

  /// Begins to copy the next tiles; zeros behind the end of k.
  __device__ void begin(Tiles<Shape>& to) {
    if (left_ >= kDepth) {
      copy<true>(to);
    } else {
      copy<false>(to);
    }
    __pipeline_commit();
    left_ -= kDepth;
    a_ += kDepth;
    b_ += static_cast<std::size_t>(kDepth) * n_;
  }

 private:
  // All threads together copy 8 neighbours, a sector, of each of so many rows of A, and so many rows of B.
  static constexpr int kNeighbours = 8;
  static constexpr int kRowsOfA = Shape::kThreads / kNeighbours, kCopiesOfA = Shape::kRows / kRowsOfA;
  static constexpr int kRowsOfB = count * Shape::kThreads / Shape::kColumns;

  static __device__ int i_of_a() { return threadIdx.x % kNeighbours; }
  static __device__ int row_of_a() { return threadIdx.x / kNeighbours; }
  static __device__ int i_of_b() { return count * threadIdx.x / Shape::kColumns; }
  static __device__ int column_of_b() { return count * threadIdx.x % Shape::kColumns; }

  /// `is_whole`: nothing of the tiles lies behind the end of k.
  template <bool is_whole>
  __device__ void copy(Tiles<Shape>& to) const {
    for (int first = 0; first < kDepth; first += kNeighbours) {
      const int i = first + i_of_a();
      for (int j = 0; j < kCopiesOfA; ++j)
        copy_elements<1>(&to.a[i][row_of_a() + j * kRowsOfA], a_ + a_offsets_[j] + first,
                         is_whole || i < left_);
    }
    for (int first = 0; first < kDepth; first += kRowsOfB) {
      const int i = first + i_of_b();
      copy_elements<count>(&to.b[i][column_of_b()], b_ + first * n_ + b_offset_, is_whole || i < left_);
    }
  }
  /// Where `exist` is false nothing is read, and `from` may lie behind the matrix.
  template <int elements>
  static __device__ void copy_elements(float* to, const float* from, bool exist) {
    constexpr std::size_t kBytes = elements * sizeof(float);
    __pipeline_memcpy_async(to, from, kBytes, exist ? 0 : kBytes);
  }

  const float *a_, *b_;  ///< where the next tiles begin
  int n_, left_;         ///< of k
  int a_offsets_[kCopiesOfA], b_offset_;
};

__device__ void read_four(float* to, const float* shared) {
  const float4 values = *reinterpret_cast<const float4*>(shared);
  to[0] = values.x;
  to[1] = values.y;
  to[2] = values.z;
  to[3] = values.w;
}

/// Stores four neighbours of a row from element `first` on, but none behind its end, `count` at a time.
template <int count>
__device__ void store_four(float* row, int first, int length, const float* values) {
  if constexpr (count == 4) {
    if (first < length)
      *reinterpret_cast<float4*>(row + first) = {values[0], values[1], values[2], values[3]};
  } else {
    for (int i = 0; i < 4; ++i) {
      if (first + i < length) row[first + i] = values[i];
    }
  }
}

/// The elements of a thread: four neighbouring columns of every 32 of its warp, in four neighbouring rows of
/// every 16.
template <class Shape>
class Product {
 public:
  __device__ Product() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // A vector of B is loaded by two neighbouring lanes, which takes half as many wavefronts.
    row_ = warp / Shape::kWarpsAcross * Shape::kWarpRows + 4 * (lane % 2 + lane / 16 * 2);
    column_ = warp % Shape::kWarpsAcross * Shape::kWarpColumns + 4 * (lane / 2 % kLanesAcross);
  }

  /// Loads the values of step i into one of two sets of registers.
  __device__ void load(int set, const Tiles<Shape>& tiles, int i) {
    for (int first = 0; first < Shape::kOwn; first += 4) {
      read_four(&of_a_[set][first], &tiles.a[i][row_ + kLanesDown * first]);
      read_four(&of_b_[set][first], &tiles.b[i][column_ + kLanesAcross * first]);
    }
  }

  /// In an order in which each product has a value in common with the last one, which need not be read again.
  __device__ void add_products(int set) {
    for (int q = 0; q < Shape::kOwn; ++q) {
      for (int j = 0; j < Shape::kOwn; ++j) {
        const int p = q % 2 == 0 ? j : Shape::kOwn - 1 - j;
        sums_[p][q] += of_a_[set][p] * of_b_[set][q];
      }
    }
  }

  /// Stores one times the sums. Sums that were stored as they are would have to be neighbouring registers,
  /// which puts many of them into the bank of registers that has their values of A and B too.
  template <int count>
  __device__ void store(float* c, int m, int n, float one) const {
    const int first_row = blockIdx.y * Shape::kRows + row_;
    const int first_column = blockIdx.x * Shape::kColumns + column_;
    for (int p = 0; p < Shape::kOwn; ++p) {
      const int row = first_row + kLanesDown * (p - p % 4) + p % 4;
      if (row >= m) continue;
      for (int q = 0; q < Shape::kOwn; q += 4) {
        const float four[] = {one * sums_[p][q], one * sums_[p][q + 1], one * sums_[p][q + 2],
                              one * sums_[p][q + 3]};
        store_four<count>(c + static_cast<std::size_t>(row) * n, first_column + kLanesAcross * q, n, four);
      }
    }
  }

 private:
  int row_, column_;  ///< of the first element, in the block
  float of_a_[2][Shape::kOwn], of_b_[2][Shape::kOwn];
  float sums_[Shape::kOwn][Shape::kOwn] = {};
};

/// Waits until all threads' copies have arrived but those of the last group, and until no thread needs the
/// tiles before.
__device__ void wait_for_tiles() {
  __pipeline_wait_prior(kPairs - 2);
  __syncthreads();
}

/// `count`: 4 where every row of B and C begins at a multiple of 16 bytes, else 1. `one` is 1.
template <class Shape, int count>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kResident)
    matrix_product_kernel(const float* a, const float* b, float* c, int m, int n, int k, float one) {
  __shared__ Tiles<Shape> tiles[kPairs];
  Copier<Shape, count> copier(a, b, m, n, k);
  Product<Shape> product;
  // [pipeline]
  for (int pair = 0; pair < kPairs - 1; ++pair) copier.begin(tiles[pair]);
  wait_for_tiles();
  product.load(0, tiles[0], 0);
  for (int left = k, pair = 0, free = kPairs - 1; left > 0; left -= kDepth) {
    copier.begin(tiles[free]);
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      const bool is_last = i == kDepth - 1;
      if (is_last) {
        wait_for_tiles();
        free = pair;
        pair = pair == kPairs - 1 ? 0 : pair + 1;
      }
      product.load((i + 1) % 2, tiles[pair], is_last ? 0 : i + 1);
      product.add_products(i % 2);
    }
  }
  // [pipeline]
  __pipeline_wait_prior(0);  // no copy is in flight when the block ends
  product.template store<count>(c, m, n, one);
}

template <class Shape>
int blocks_across(int n) {
  return lockstep::divide_up(n, Shape::kColumns);
}
template <class Shape>
int blocks_down(int m) {
  return lockstep::divide_up(m, Shape::kRows);
}

/// Of the multiprocessor with the most blocks, in elements of C that Wide computes in that time.
template <class Shape>
double time_of(int m, int n) {
  const int blocks = lockstep::divide_up(blocks_down<Shape>(m) * blocks_across<Shape>(n), kMultiprocessors);
  return 100.0 / Shape::kSpeed * blocks * Shape::kRows * Shape::kColumns;
}

template <class Shape, int count>
void launch(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 grid(blocks_across<Shape>(n), blocks_down<Shape>(m));
  matrix_product_kernel<Shape, count><<<grid, Shape::kThreads, 0, stream>>>(a, b, c, m, n, k, 1.0F);
  CHECK_CUDA(cudaGetLastError());
}

template <class Large, int count>
void launch_best(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const auto launch_shape =
      time_of<Small>(m, n) < time_of<Large>(m, n) ? launch<Small, count> : launch<Large, count>;
  launch_shape(a, b, c, m, n, k, stream);
}

void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  // Where elements of B are copied one by one, Tall is faster than Wide.
  const auto launch_vectors = n % 4 == 0 ? launch_best<Wide, 4> : launch_best<Tall, 1>;
  launch_vectors(a, b, c, m, n, k, stream);
}
