// fails: idle-lanes
// at: for (int i = row_begins[row] + lane; i < end; i += kLanes) {
// fails: parallelism
// at: sum += values[i] * x[column_indices[i]];
// Sparse matrix times vector with a warp for each row. Lecture: 13-sparse-matrix.
// Bound: instructions of lanes that have no nonzero where rows are short, and the longest row, which is one
// warp's.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sparse_matrix.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;

__device__ float warp_sum(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

// [warp-per-row]
__global__ void __launch_bounds__(kThreads)
    sparse_matrix_kernel(const int* row_begins, const int* column_indices, const float* values,
                         const float* x, float* y, int rows) {
  const int lane = threadIdx.x % kLanes;
  const int row = blockIdx.x * kWarps + threadIdx.x / kLanes;
  if (row >= rows) return;  // whole warps leave
  const int end = row_begins[row + 1];
  float sum = 0;
  for (int i = row_begins[row] + lane; i < end; i += kLanes) {
    sum += values[i] * x[column_indices[i]];
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}
// [warp-per-row]

std::size_t sparse_matrix_workspace_bytes(int, int) { return 0; }

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int, int, void*, cudaStream_t stream) {
  if (rows == 0) return;  // a grid without blocks is an error
  sparse_matrix_kernel<<<lockstep::divide_up(rows, kWarps), kThreads, 0, stream>>>(row_begins, column_indices,
                                                                                   values, x, y, rows);
  CHECK_CUDA(cudaGetLastError());
}
