// expect: inefficient
// fails: bytes-per-nonzero
// Each thread takes 16 neighbouring nonzeros: equal shares, and lanes that read 64 bytes apart.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sparse_matrix.h"

constexpr int kThreads = 128;
constexpr int kShare = 16;

__global__ void __launch_bounds__(kThreads)
    sparse_matrix_kernel(const int* row_begins, const int* column_indices, const float* values,
                         const float* x, float* y, int rows, int nonzeros) {
  const int begin = (blockIdx.x * kThreads + threadIdx.x) * kShare, end = min(begin + kShare, nonzeros);
  if (begin >= nonzeros) return;
  int low = 0, high = rows - 1;  // the last row that begins at the first nonzero or before
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (row_begins[middle] <= begin)
      low = middle;
    else
      high = middle - 1;
  }
  float sum = 0;
  for (int i = begin; i < end; ++i) {
    while (row_begins[low + 1] <= i) {
      if (sum != 0) atomicAdd(&y[low], sum);
      sum = 0;
      ++low;
    }
    sum += values[i] * x[column_indices[i]];
  }
  atomicAdd(&y[low], sum);
}

std::size_t sparse_matrix_workspace_bytes(int, int) { return 0; }

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int, int nonzeros, void*, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(y, 0, rows * sizeof(float), stream));
  if (nonzeros == 0) return;
  sparse_matrix_kernel<<<lockstep::divide_up(nonzeros, kThreads * kShare), kThreads, 0, stream>>>(
      row_begins, column_indices, values, x, y, rows, nonzeros);
  CHECK_CUDA(cudaGetLastError());
}
