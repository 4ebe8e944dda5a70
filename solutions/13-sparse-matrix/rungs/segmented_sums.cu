// Sparse matrix times vector with a thread for each nonzero: a segmented scan adds up those of a row.
// Lecture: 13-sparse-matrix.
// Bound: the search for the row, which each nonzero repeats, and atomic operations on one word where a row is
// long. These add in any order, so that the last bits of a sum may differ from run to run.
// Source: Blelloch, Heroux and Zagha, "Segmented operations for sparse matrix computation on vector
// multiprocessors", Carnegie Mellon University, 1993.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sparse_matrix.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;

/// The row that nonzero i is in: the last that begins at i or before, and so no empty one.
__device__ int row_of(int i, const int* row_begins, int rows) {
  int low = 0, high = rows - 1;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (row_begins[middle] <= i)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// [segmented-sum]
/// The sum of the lanes from the nearest begin of a row up to this one.
__device__ float warp_segmented_sum(float sum, bool begins) {
  const int lane = threadIdx.x % kLanes;
  const unsigned begins_so_far = __ballot_sync(kAllLanes, begins) & (kAllLanes >> (kLanes - 1 - lane));
  // How many lanes before this one are in its row. The first lane begins one in any case.
  const int reach = lane - (kLanes - 1 - __clz(begins_so_far));
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const float earlier = __shfl_up_sync(kAllLanes, sum, offset);
    if (offset <= reach) sum += earlier;
  }
  return sum;
}
// [segmented-sum]

__global__ void __launch_bounds__(kThreads)
    sparse_matrix_kernel(const int* row_begins, const int* column_indices, const float* values,
                         const float* x, float* y, int rows, int nonzeros) {
  const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % kLanes;
  const bool has_one = i < nonzeros;
  const int row = has_one ? row_of(i, row_begins, rows) : -1;
  const float product = has_one ? values[i] * x[column_indices[i]] : 0;
  const int row_before = __shfl_up_sync(kAllLanes, row, 1);
  const int row_behind = __shfl_down_sync(kAllLanes, row, 1);
  const float sum = warp_segmented_sum(product, lane == 0 || row != row_before);
  const bool is_last = lane == kLanes - 1 || row != row_behind;
  if (has_one && is_last) atomicAdd(&y[row], sum);  // warps before and behind may have a part of the row
}

std::size_t sparse_matrix_workspace_bytes(int, int) { return 0; }

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int, int nonzeros, void*, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(y, 0, rows * sizeof(float), stream));  // empty rows, and what is added to
  if (nonzeros == 0) return;                                        // a grid without blocks is an error
  sparse_matrix_kernel<<<lockstep::divide_up(nonzeros, kThreads), kThreads, 0, stream>>>(
      row_begins, column_indices, values, x, y, rows, nonzeros);
  CHECK_CUDA(cudaGetLastError());
}
