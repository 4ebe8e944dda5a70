// Sparse matrix times vector: the file that you hand in. The task is in README.md, the interface in
// sparse_matrix.h.
#include "sparse_matrix.h"

#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;

/// Adds up the products of the first rows of the matrix, one per thread.
__global__ void sparse_matrix_kernel(const int* row_begins, const int* column_indices, const float* values,
                                     const float* x, float* y, int rows) {
  const int row = threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  // TODO: this is the first nonzero of the row alone, and one block takes the first rows alone. Add the
  // products of all nonzeros, and let there be threads for all rows.
  const int i = row_begins[row];
  if (i < row_begins[row + 1]) sum += values[i] * x[column_indices[i]];
  y[row] = sum;
}

std::size_t sparse_matrix_workspace_bytes(int, int) { return 0; }

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int, int, void*, cudaStream_t stream) {
  sparse_matrix_kernel<<<1, kThreads, 0, stream>>>(row_begins, column_indices, values, x, y, rows);
  CHECK_CUDA(cudaGetLastError());
}
