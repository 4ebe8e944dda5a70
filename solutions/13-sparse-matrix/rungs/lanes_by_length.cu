// fails: parallelism
// at: sum += values[i] * x[column_indices[i]];
// Sparse matrix times vector with as many lanes for each row as it has nonzeros on average. Lecture:
// 13-sparse-matrix.
// Bound: rows far longer than the average, which keep a few lanes busy while the others of their warp wait.
// Source: Bell and Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
// processors", SC 2009, for the warp; the lanes by length are those of the library Cusp.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sparse_matrix.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;

// [group-per-row]
template <int kGroup>
__global__ void __launch_bounds__(kThreads)
    sparse_matrix_kernel(const int* row_begins, const int* column_indices, const float* values,
                         const float* x, float* y, int rows) {
  const int lane = threadIdx.x % kGroup;
  const int row = blockIdx.x * (kThreads / kGroup) + threadIdx.x / kGroup;
  const bool has_row = row < rows;  // no lane may leave: the shuffles need the whole warp
  const int end = has_row ? row_begins[row + 1] : 0;
  float sum = 0;
  for (int i = has_row ? row_begins[row] + lane : 0; i < end; i += kGroup) {
    sum += values[i] * x[column_indices[i]];
  }
  for (int offset = kGroup / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(kAllLanes, sum, offset);
  if (has_row && lane == 0) y[row] = sum;
}
// [group-per-row]

std::size_t sparse_matrix_workspace_bytes(int, int) { return 0; }

template <int kGroup>
void launch(const int* row_begins, const int* column_indices, const float* values, const float* x, float* y,
            int rows, int mean, cudaStream_t stream) {
  if constexpr (kGroup < kLanes) {
    if (kGroup < mean)
      return launch<2 * kGroup>(row_begins, column_indices, values, x, y, rows, mean, stream);
  }
  sparse_matrix_kernel<kGroup><<<lockstep::divide_up(rows, kThreads / kGroup), kThreads, 0, stream>>>(
      row_begins, column_indices, values, x, y, rows);
  CHECK_CUDA(cudaGetLastError());
}

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int, int nonzeros, void*, cudaStream_t stream) {
  if (rows == 0) return;  // a grid without blocks is an error
  launch<2>(row_begins, column_indices, values, x, y, rows, nonzeros / rows, stream);
}
