// Matrix product, the reference: 8 x 8 elements per thread, or 4 x 4 where these would leave multiprocessors
// idle, and asynchronous copies into one pair of tiles while the products of another are formed.
// Lecture: 07-matrix-product.
// Bound: arithmetic; 64 products for 16 values from shared memory.
// Source: A. Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++", 2017: tiles of blocks and of threads.
#include <cuda_pipeline.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "matrix_product.h"

constexpr int kSide = 16;  // threads of a block along the rows, and along the columns
constexpr int kThreads = kSide * kSide;
constexpr int kResident = 2;      // blocks of a multiprocessor, so that a thread has at most 128 registers
constexpr int kDepth = 16;        // how much of k a block has in a pair of tiles
constexpr int kManyBlocks = 132;  // a block for each multiprocessor of an H200

/// A part of A, kDepth elements of each row, and a part of B, kDepth rows. `own`: rows and columns of a
/// thread.
template <int own>
struct Tiles {
  static constexpr int kSize = own * kSide;  ///< rows and columns of a block
  alignas(16) float a[kSize][kDepth];
  alignas(16) float b[kDepth][kSize];
};

/// Begins to copy `count` neighbours of a row to shared memory, 1 or 4, from element `first` on; 0 behind its
/// end. Of 4 all exist or none.
template <int count>
__device__ void copy_elements(float* to, const float* row, int first, int length) {
  constexpr std::size_t kBytes = count * sizeof(float);
  const bool exist = first < length;
  __pipeline_memcpy_async(to, exist ? row + first : row, kBytes, exist ? 0 : kBytes);
}

/// Begins to copy the tiles of a block that stand `first` elements from the beginning of A's rows, `count`
/// neighbours at a time.
template <int count, int own>
__device__ void copy_tiles(Tiles<own>& tiles, const float* a, const float* b, int m, int n, int k,
                           int first) {
  constexpr int kSize = Tiles<own>::kSize, kElements = kSize * kDepth;  // of a tile
  const int first_row = blockIdx.y * kSize, first_column = blockIdx.x * kSize;
  for (int at = count * threadIdx.x; at < kElements; at += count * kThreads) {
    const int row = at / kDepth, i = at % kDepth;
    const bool exists = first_row + row < m;
    const float* const from = exists ? a + static_cast<std::size_t>(first_row + row) * k : a;
    copy_elements<count>(&tiles.a[row][i], from, first + i, exists ? k : 0);
  }
  for (int at = count * threadIdx.x; at < kElements; at += count * kThreads) {
    const int i = at / kSize, column = at % kSize;
    const bool exists = first + i < k;
    const float* const from = exists ? b + static_cast<std::size_t>(first + i) * n : b;
    copy_elements<count>(&tiles.b[i][column], from, first_column + column, exists ? n : 0);
  }
  __pipeline_commit();
}

/// The elements of a thread: rows y + 16 p, and of every 64 columns four from 4 x on.
template <int own>
struct Sums {
  float of[own][own] = {};

  __device__ void add_products(const Tiles<own>& tiles, int x, int y) {
    for (int i = 0; i < kDepth; i += 4) {
      float of_a[own][4];
      for (int p = 0; p < own; ++p) read_four(of_a[p], &tiles.a[y + p * kSide][i]);
      for (int j = 0; j < 4; ++j) {
        float of_b[own];
        for (int q = 0; q < own; q += 4) read_four(of_b + q, &tiles.b[i + j][q * kSide + 4 * x]);
        for (int p = 0; p < own; ++p) {
          for (int q = 0; q < own; ++q) of[p][q] += of_a[p][j] * of_b[q];
        }
      }
    }
  }

 private:
  static __device__ void read_four(float* to, const float* shared) {
    const float4 values = *reinterpret_cast<const float4*>(shared);
    to[0] = values.x;
    to[1] = values.y;
    to[2] = values.z;
    to[3] = values.w;
  }
};

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

/// `count`: 4 where every row begins at a multiple of 16 bytes, else 1.
template <int count, int own>
__global__ void __launch_bounds__(kThreads, kResident)
    matrix_product_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ Tiles<own> tiles[2];
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  Sums<own> sums;
  // [two-pairs]
  copy_tiles<count>(tiles[0], a, b, m, n, k, 0);
  for (int first = 0, pair = 0; first < k; first += kDepth, pair ^= 1) {
    copy_tiles<count>(tiles[pair ^ 1], a, b, m, n, k, first + kDepth);
    __pipeline_wait_prior(1);  // all copies but the last, those of the next tiles
    __syncthreads();           // those of all threads have arrived
    sums.add_products(tiles[pair], x, y);
    __syncthreads();  // the next copies may overwrite this pair
  }
  // [two-pairs]
  __pipeline_wait_prior(0);  // no copy is in flight when the block ends
  constexpr int kSize = Tiles<own>::kSize;
  for (int p = 0; p < own; ++p) {
    const int row = blockIdx.y * kSize + y + p * kSide;
    if (row >= m) continue;
    for (int q = 0; q < own; q += 4) {
      store_four<count>(c + static_cast<std::size_t>(row) * n, blockIdx.x * kSize + q * kSide + 4 * x, n,
                        sums.of[p] + q);
    }
  }
}

template <int own>
void launch(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  constexpr int kSize = Tiles<own>::kSize;
  const dim3 grid(lockstep::divide_up(n, kSize), lockstep::divide_up(m, kSize));
  const bool vectors = n % 4 == 0 && k % 4 == 0;
  const auto kernel = vectors ? matrix_product_kernel<4, own> : matrix_product_kernel<1, own>;
  kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}

void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  constexpr int kLarge = Tiles<8>::kSize;
  const bool fills_gpu = lockstep::divide_up(m, kLarge) * lockstep::divide_up(n, kLarge) >= kManyBlocks;
  const auto launch_tiles = fills_gpu ? launch<8> : launch<4>;
  launch_tiles(a, b, c, m, n, k, stream);
}
