// fails: bytes-per-nonzero
// at: sum += values[i] * x[column_indices[i]];
// fails: idle-lanes
// at: for (int i = row_begins[row]; i < end; ++i) {
// fails: parallelism
// at: sparse_matrix_kernel<<<lockstep::divide_up(rows, kThreads), kThreads, 0, stream>>>(
// Sparse matrix times vector with a thread for each row. Lecture: 13-sparse-matrix.
// Bound: sectors, since the lanes of a warp read rows far apart; and the longest row, which is one thread's.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sparse_matrix.h"

constexpr int kThreads = 256;

// [thread-per-row]
__global__ void __launch_bounds__(kThreads)
    sparse_matrix_kernel(const int* row_begins, const int* column_indices, const float* values,
                         const float* x, float* y, int rows) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  const int end = row_begins[row + 1];
  float sum = 0;
  for (int i = row_begins[row]; i < end; ++i) {
    sum += values[i] * x[column_indices[i]];
  }
  y[row] = sum;
}
// [thread-per-row]

std::size_t sparse_matrix_workspace_bytes(int, int) { return 0; }

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int, int, void*, cudaStream_t stream) {
  if (rows == 0) return;  // a grid without blocks is an error
  sparse_matrix_kernel<<<lockstep::divide_up(rows, kThreads), kThreads, 0, stream>>>(
      row_begins, column_indices, values, x, y, rows);
  CHECK_CUDA(cudaGetLastError());
}
