// Tensor cores, the reference: tiles of 128 x 256 elements, or smaller ones that keep all multiprocessors
// busy; 64 x 64 elements to a warp; asynchronous copies three stages ahead into rows whose chunks change
// places; fragments of the next step loaded during the products of this one.
// Lecture: 16-tensor-cores.
// Bound: how fast mma.sync is, of which it reaches 76 percent (lectures/programs/mma_rate.cu).
// Source: A. Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++", 2017: tiles of blocks, warps, threads.
#include <cuda_pipeline.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "tensor_cores.h"

constexpr int kMultiprocessors = 132;     // of an H200; it decides which shape is fastest
constexpr int kDepth = 64;                // how much of k a block has in a stage
constexpr int kStep = 16;                 // how much of it an mma takes
constexpr int kSteps = kDepth / kStep;    // an even number, as fragments are in two sets of registers
constexpr int kChunk = 8;                 // elements in 16 bytes, which are copied and loaded together
constexpr int kLines = 16, kColumns = 8;  // of C in an mma

/// How C is shared out: `rows` x `columns` elements to a warp, `down` x `across` warps to a block, which has
/// so many stages, and `resident` blocks to a multiprocessor. `speed`: of a GPU full of such blocks, in
/// percent of the fastest.
template <int rows, int columns, int down, int across, int stages, int resident, int speed>
struct Shape {
  static constexpr int kWarpRows = rows, kWarpColumns = columns, kWarpsAcross = across, kStages = stages;
  static constexpr int kThreads = 32 * down * across, kResident = resident, kSpeed = speed;
  static constexpr int kBlockRows = down * rows, kBlockColumns = across * columns;
};
using Large = Shape<64, 64, 2, 4, 4, 1, 100>;
using Small = Shape<32, 32, 2, 2, 4, 3, 60>;

// [swizzle]
/// Where a chunk of a row lies. The same chunk of eight rows one below the other is at eight places of 16
/// bytes that have all banks between them.
template <int row_length>
__device__ int place(int row, int chunk) {
  return row * row_length + kChunk * (chunk ^ row % 8);
}
// [swizzle]

/// Parts of A and of B, row by row, each row with its chunks in another order.
template <class Shape>
struct Stage {
  alignas(128) std::uint16_t a[Shape::kBlockRows * kDepth];
  alignas(128) std::uint16_t b[kDepth * Shape::kBlockColumns];
};

/// Copies the stages of a block one after the other along k.
template <class Shape>
class Copier {
 public:
  __device__ Copier(const std::uint16_t* a, const std::uint16_t* b, int m, int n, int k) : n_(n), left_(k) {
    const int first_row = blockIdx.y * Shape::kBlockRows, first_column = blockIdx.x * Shape::kBlockColumns;
    a_ = a + static_cast<std::size_t>(first_row) * k + kChunk * chunk_of_a();
    // Behind the last row and column the last ones are copied again: the products with them are not stored.
    const int last_row = m - first_row - 1, last_column = n - first_column - kChunk;
    for (int j = 0; j < kCopiesOfA; ++j) a_offsets_[j] = min(row_of_a() + j * kRowsOfA, last_row) * k;
    b_ =
        b + static_cast<std::size_t>(row_of_b()) * n + first_column + min(kChunk * chunk_of_b(), last_column);
  }

  /// Begins to copy the next stage, if there is one; zeros behind the end of k.
  __device__ void begin(Stage<Shape>& to) {
    if (left_ >= kDepth) {
      copy<true>(to);
    } else if (left_ > 0) {
      copy<false>(to);
    }
    __pipeline_commit();  // also of none: what is waited for is counted in groups
    left_ -= kDepth;
    a_ += kDepth;
    b_ += static_cast<std::size_t>(kDepth) * n_;
  }

 private:
  // All threads together copy so many whole rows of A's part, and of B's.
  static constexpr int kChunksOfA = kDepth / kChunk, kChunksOfB = Shape::kBlockColumns / kChunk;
  static constexpr int kRowsOfA = Shape::kThreads / kChunksOfA, kCopiesOfA = Shape::kBlockRows / kRowsOfA;
  static constexpr int kRowsOfB = Shape::kThreads / kChunksOfB, kCopiesOfB = kDepth / kRowsOfB;

  static __device__ int chunk_of_a() { return threadIdx.x % kChunksOfA; }
  static __device__ int row_of_a() { return threadIdx.x / kChunksOfA; }
  static __device__ int chunk_of_b() { return threadIdx.x % kChunksOfB; }
  static __device__ int row_of_b() { return threadIdx.x / kChunksOfB; }

  /// `is_whole`: nothing of the stage lies behind the end of k.
  template <bool is_whole>
  __device__ void copy(Stage<Shape>& to) const {
    for (int j = 0; j < kCopiesOfA; ++j) {
      copy_chunk(&to.a[place<kDepth>(row_of_a() + j * kRowsOfA, chunk_of_a())], a_ + a_offsets_[j],
                 is_whole || kChunk * chunk_of_a() < left_);
    }
    for (int j = 0; j < kCopiesOfB; ++j) {
      const int row = row_of_b() + j * kRowsOfB;
      copy_chunk(&to.b[place<Shape::kBlockColumns>(row, chunk_of_b())], b_ + j * kRowsOfB * n_,
                 is_whole || row < left_);
    }
  }
  /// Where `exists` is false nothing is read, and `from` may lie behind the matrix.
  static __device__ void copy_chunk(std::uint16_t* to, const std::uint16_t* from, bool exists) {
    __pipeline_memcpy_async(to, from, sizeof(uint4), exists ? 0 : sizeof(uint4));
  }

  const std::uint16_t *a_, *b_;  ///< where the thread's part of the next stage begins
  int n_, left_;                 ///< of k
  int a_offsets_[kCopiesOfA];
};

__device__ unsigned shared_address(const std::uint16_t* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

/// Loads four matrices of 8 x 8 elements. Lane 8 i + r has the address of row r of matrix i.
__device__ void load_matrices(unsigned (&to)[4], const std::uint16_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

/// The same, each matrix transposed.
__device__ void load_transposed(unsigned (&to)[4], const std::uint16_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

/// Adds the product of 16 x 16 elements of A and 16 x 8 of B.
__device__ void multiply_add(float (&sums)[4], const unsigned (&a)[4], unsigned b_low, unsigned b_high) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}

/// The elements of a warp, four of each mma to a lane.
template <class Shape>
class Product {
 public:
  __device__ Product() {
    const int warp = threadIdx.x / 32, line = lane() % 16, half = lane() / 16;
    row_ = warp / Shape::kWarpsAcross * Shape::kWarpRows;
    column_ = warp % Shape::kWarpsAcross * Shape::kWarpColumns;
    first_of_a_ = place<kDepth>(row_ + line, half);
    first_of_b_ = place<Shape::kBlockColumns>(line, column_ / kChunk + half);
  }

  /// Loads the fragments of a step into one of two sets of registers. Along a row their chunks are an even
  /// number further, which xor may add to the place as it did to the chunk: no bit is in both.
  __device__ void load(int set, const Stage<Shape>& stage, int step) {
    const std::uint16_t* const a = stage.a + (first_of_a_ ^ kStep * step);
    for (int p = 0; p < kDown; ++p) load_matrices(of_a_[set][p], a + p * kLines * kDepth);
    const std::uint16_t* const b = stage.b + kStep * step * Shape::kBlockColumns;
    for (int q = 0; q < kAcross / 2; ++q)
      load_transposed(of_b_[set][q], b + (first_of_b_ ^ 2 * kColumns * q));
  }

  /// Four products in turn have a fragment of B in common, and the next four begin with the last one of A:
  /// 3 percent faster on an H200 than eight in turn with one of A.
  __device__ void add_products(int set) {
    for (int q = 0; q < kAcross; ++q) {
      const unsigned(&of_b)[4] = of_b_[set][q / 2];
      for (int j = 0; j < kDown; ++j) {
        const int p = q % 2 == 0 ? j : kDown - 1 - j;
        multiply_add(sums_[p][q], of_a_[set][p], of_b[q % 2 * 2], of_b[q % 2 * 2 + 1]);
      }
    }
  }

  __device__ void store(float* c, int m, int n) const {
    const int first_row = blockIdx.y * Shape::kBlockRows + row_ + lane() / 4;
    const int first_column = blockIdx.x * Shape::kBlockColumns + column_ + lane() % 4 * 2;
    for (int p = 0; p < kDown; ++p) {
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + kLines * p + half * 8;
        if (row >= m) continue;
        float* const to = c + static_cast<std::size_t>(row) * n + first_column;
        for (int q = 0; q < kAcross; ++q) {
          if (first_column + kColumns * q < n)
            *reinterpret_cast<float2*>(to + kColumns * q) = {sums_[p][q][2 * half],
                                                             sums_[p][q][2 * half + 1]};
        }
      }
    }
  }

 private:
  static constexpr int kDown = Shape::kWarpRows / kLines, kAcross = Shape::kWarpColumns / kColumns;
  static __device__ int lane() { return threadIdx.x % 32; }

  int row_, column_;             ///< of the first element, in the block
  int first_of_a_, first_of_b_;  ///< places of what the lane names of the first fragments of a stage
  unsigned of_a_[2][kDown][4], of_b_[2][kAcross / 2][4];
  float sums_[kDown][kAcross][4] = {};
};

/// Waits until all threads' copies have arrived but those of the last groups, and until no thread needs the
/// stage before.
template <class Shape>
__device__ void wait_for_stage() {
  __pipeline_wait_prior(Shape::kStages - 2);
  __syncthreads();
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kResident)
    tensor_cores_kernel(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k) {
  extern __shared__ uint4 memory[];
  auto* const stages = reinterpret_cast<Stage<Shape>*>(memory);
  Copier<Shape> copier(a, b, m, n, k);
  Product<Shape> product;
  // [pipeline]
  for (int stage = 0; stage < Shape::kStages - 1; ++stage) copier.begin(stages[stage]);
  wait_for_stage<Shape>();
  if (k > 0) product.load(0, stages[0], 0);
  for (int left = k, stage = 0, free = Shape::kStages - 1; left > 0; left -= kDepth) {
    copier.begin(stages[free]);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const bool is_last = step == kSteps - 1;
      if (is_last) {
        wait_for_stage<Shape>();
        free = stage;
        // Behind the last stage this one's fragments are loaded again, and nobody uses them.
        if (left > kDepth) stage = stage == Shape::kStages - 1 ? 0 : stage + 1;
      }
      product.load((step + 1) % 2, stages[stage], is_last ? 0 : step + 1);
      product.add_products(step % 2);
    }
  }
  // [pipeline]
  __pipeline_wait_prior(0);  // no copy is in flight when the block ends
  product.store(c, m, n);
}

/// Of the multiprocessor with the most blocks, in elements of C that Large computes in that time.
template <class Shape>
double time_of(int m, int n) {
  const int blocks = lockstep::divide_up(
      lockstep::divide_up(m, Shape::kBlockRows) * lockstep::divide_up(n, Shape::kBlockColumns),
      kMultiprocessors);
  return 100.0 / Shape::kSpeed * blocks * Shape::kBlockRows * Shape::kBlockColumns;
}

template <class Shape>
void launch(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
            cudaStream_t stream) {
  constexpr int kBytes = Shape::kStages * sizeof(Stage<Shape>);  // more than a kernel has unless it asks
  const auto kernel = tensor_cores_kernel<Shape>;
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const dim3 grid(lockstep::divide_up(n, Shape::kBlockColumns), lockstep::divide_up(m, Shape::kBlockRows));
  kernel<<<grid, Shape::kThreads, kBytes, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}

void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const auto launch_best = time_of<Small>(m, n) < time_of<Large>(m, n) ? launch<Small> : launch<Large>;
  launch_best(a, b, c, m, n, k, stream);
}
