// Tensor cores by mma.sync, with fragments that ldmatrix loads from padded rows: a block of 8 warps has 128 x
// 128 elements of C, each warp 64 x 32 of them in registers.
// Lecture: 16-tensor-cores.
// Bound: waiting; between two barriers a block either copies or multiplies.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "tensor_cores.h"

constexpr int kSide = 128;   // rows and columns of a block
constexpr int kDepth = 32;   // how much of k it has in shared memory
constexpr int kStep = 16;    // how much of it an mma takes
constexpr int kChunk = 8;    // elements in 16 bytes, which are copied and loaded together
constexpr int kPadding = 8;  // makes rows 16 bytes longer than a multiple of 32: eight are in different banks
constexpr int kThreads = 256;
constexpr int kAcross = 4;                              // warps of a block along the columns
constexpr int kDown = kThreads / 32 / kAcross;          // and along the rows
constexpr int kLines = 16, kColumns = 8;                // of C in an mma
constexpr int kOwnDown = kSide / kDown / kLines;        // mma of a warp along the rows
constexpr int kOwnAcross = kSide / kAcross / kColumns;  // and along the columns

/// Copies a tile of a matrix that has so many rows and columns left; what is behind an edge becomes 0.
template <int rows, int padded_columns>
__device__ void copy_tile(std::uint16_t (&to)[rows][padded_columns], const std::uint16_t* from,
                          int row_length, int rows_left, int columns_left) {
  constexpr int kChunks = (padded_columns - kPadding) / kChunk;  // of a row
#pragma unroll
  for (int first = 0; first < rows * kChunks; first += kThreads) {
    const int row = (first + threadIdx.x) / kChunks, column = threadIdx.x % kChunks * kChunk;
    uint4 chunk = {};
    if (row < rows_left && column < columns_left)
      chunk = *reinterpret_cast<const uint4*>(from + row * row_length + column);
    *reinterpret_cast<uint4*>(&to[row][column]) = chunk;
  }
}

__device__ unsigned shared_address(const std::uint16_t* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// [instructions]
/// Loads four matrices of 8 x 8 elements. Lane 8 i + r has the address of row r of matrix i.
__device__ void load_matrices(unsigned (&to)[4], const std::uint16_t* own_row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(own_row))
               : "memory");
}

/// Adds the product of 16 x 16 elements of A and 16 x 8 of B.
__device__ void multiply_add(float (&sums)[4], const unsigned (&a)[4], unsigned b_low, unsigned b_high) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}
// [instructions]

/// As load_matrices, each matrix transposed.
__device__ void load_transposed(unsigned (&to)[4], const std::uint16_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

__global__ void __launch_bounds__(kThreads)
    tensor_cores_kernel(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k) {
  __shared__ alignas(16) std::uint16_t tile_a[kSide][kDepth + kPadding], tile_b[kDepth][kSide + kPadding];
  const int first_row = blockIdx.y * kSide, first_column = blockIdx.x * kSide;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / kAcross * kOwnDown * kLines;         // of the warp, in the block
  const int column = warp % kAcross * kOwnAcross * kColumns;  // likewise
  float sums[kOwnDown][kOwnAcross][4] = {};
  for (int first = 0; first < k; first += kDepth) {
    copy_tile(tile_a, a + first_row * k + first, k, m - first_row, k - first);
    copy_tile(tile_b, b + first * n + first_column, n, k - first, n - first_column);
    __syncthreads();  // both tiles are there
    // [multiply]
    for (int i = 0; i < kDepth; i += kStep) {
      unsigned of_a[kOwnDown][4], of_b[kOwnAcross / 2][4];
      const int line = lane % 16, chunk = lane / 16 * kChunk;
      for (int p = 0; p < kOwnDown; ++p) load_matrices(of_a[p], &tile_a[row + p * kLines + line][i + chunk]);
      for (int q = 0; q < kOwnAcross / 2; ++q)
        load_transposed(of_b[q], &tile_b[i + line][column + 2 * q * kColumns + chunk]);
      for (int p = 0; p < kOwnDown; ++p) {
        for (int q = 0; q < kOwnAcross; ++q)
          multiply_add(sums[p][q], of_a[p], of_b[q / 2][q % 2 * 2], of_b[q / 2][q % 2 * 2 + 1]);
      }
    }
    // [multiply]
    __syncthreads();  // the next tiles may be stored
  }
  // [store]
  for (int p = 0; p < kOwnDown; ++p) {
    for (int half = 0; half < 2; ++half) {
      const int to_row = first_row + row + p * kLines + half * 8 + lane / 4;
      if (to_row >= m) continue;
      for (int q = 0; q < kOwnAcross; ++q) {
        const int to_column = first_column + column + q * kColumns + lane % 4 * 2;
        const float2 two = {sums[p][q][2 * half], sums[p][q][2 * half + 1]};
        if (to_column < n) *reinterpret_cast<float2*>(&c[to_row * n + to_column]) = two;
      }
    }
  }
  // [store]
}

void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const dim3 grid(lockstep::divide_up(n, kSide), lockstep::divide_up(m, kSide));
  tensor_cores_kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
