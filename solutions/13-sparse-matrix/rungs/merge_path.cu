// Sparse matrix times vector in equal shares of rows and nonzeros, for each block and for each thread.
// Lecture: 13-sparse-matrix.
// Bound: the bandwidth of global memory, 8 bytes per nonzero and 8 per row, and the gather of x where x is
// larger than the caches. 15 columns and values of each thread are in flight.
// Source: Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", SC 2016.
#include <climits>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sparse_matrix.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kSteps = 15;  // of a thread; an odd number, so that its lanes begin in 32 banks
constexpr int kTile = kThreads * kSteps;
constexpr int kBlocks = 4;           // per multiprocessor: 64 registers for each thread, and none is spilled
constexpr int kCarryThreads = 1024;  // of the one block that adds what tiles leave over
constexpr int kSearchThreads = 128;

// [merge-step]
/// A path goes through all nonzeros and all ends of rows: the end of a row comes behind its last nonzero.
/// Returns how many ends are among the first `steps` of the path.
__device__ int ends_before(int steps, const int* row_ends, int rows, int nonzeros) {
  int low = max(0, steps - nonzeros), high = min(steps, rows);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    // The end of row `middle` is step row_ends[middle] + middle, counted from 0.
    if (row_ends[middle] + middle < steps)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
// [merge-step]

/// Where the tiles begin: first_rows[t] rows end before tile t.
__global__ void find_rows_kernel(const int* row_ends, int rows, int nonzeros, int tiles, int* first_rows) {
  const int tile = blockIdx.x * kSearchThreads + threadIdx.x;
  if (tile > tiles) return;  // one more: the last tile ends there
  const int steps = tile < tiles ? tile * kTile : rows + nonzeros;
  first_rows[tile] = ends_before(steps, row_ends, rows, nonzeros);
}

/// What is left over at the end of a run of steps: the sum since the last end of a row in it, or of all.
struct Rest {
  bool has_end;
  float sum;
};

/// What the threads before leave over for the next end of a row. `block_rest` becomes what the block does.
template <int kBlockThreads>
__device__ float block_sum_before(Rest own, float& block_rest) {
  constexpr int kWarps = kBlockThreads / kLanes;
  __shared__ float warp_sums[kWarps];
  __shared__ bool warp_has_end[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const unsigned ends = __ballot_sync(kAllLanes, own.has_end);
  const unsigned ends_so_far = ends & (kAllLanes >> (kLanes - 1 - lane));
  const int reach = ends_so_far == 0 ? lane : lane - (kLanes - 1 - __clz(ends_so_far));
  float sum = own.sum;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const float earlier = __shfl_up_sync(kAllLanes, sum, offset);
    if (offset <= reach) sum += earlier;
  }
  if (lane == kLanes - 1) {
    warp_sums[warp] = sum;
    warp_has_end[warp] = ends != 0;
  }
  __syncthreads();  // what all warps leave over
  float before = 0, rest = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = rest;
    rest = warp_sums[w] + (warp_has_end[w] ? 0 : rest);
  }
  block_rest = rest;
  const float neighbour = __shfl_up_sync(kAllLanes, sum, 1);
  const bool is_first = (ends & ((1U << lane) - 1)) == 0;  // no row ends in the lanes before
  return (lane > 0 ? neighbour : 0) + (is_first ? before : 0);
}

__global__ void __launch_bounds__(kThreads, kBlocks)
    multiply_kernel(const int* row_ends, const int* column_indices, const float* values, const float* x,
                    float* y, int rows, int nonzeros, const int* first_rows, float* carries) {
  __shared__ int items[kTile + 1];  // the products of the tile, and behind them the ends of its rows
  __shared__ float sums[kTile];     // of its rows
  const int tile_begin = blockIdx.x * kTile;
  const int count = min(kTile, rows + nonzeros - tile_begin);
  const int first_row = first_rows[blockIdx.x], row_count = first_rows[blockIdx.x + 1] - first_row;
  const int first_nonzero = tile_begin - first_row, nonzero_count = count - row_count;

  // [load-tile]
  int words[kSteps];  // columns, and behind them ends of rows: all are in flight before one is needed
  float factors[kSteps];
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
    const int i = k * kThreads + threadIdx.x;
    if (i < nonzero_count) {
      words[k] = __ldcs(column_indices + first_nonzero + i);  // read once, never again
      factors[k] = __ldcs(values + first_nonzero + i);
    } else if (i < count) {
      words[k] = row_ends[first_row + i - nonzero_count] - first_nonzero;
    }
  }
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
    const int i = k * kThreads + threadIdx.x;
    if (i < nonzero_count) words[k] = __float_as_int(factors[k] * __ldg(x + words[k]));
    if (i < count) items[i] = words[k];
  }
  if (threadIdx.x == 0) items[count] = INT_MAX;  // no further row ends in this tile
  __syncthreads();                               // the tile is complete
  // [load-tile]

  const int* const ends = items + nonzero_count;
  const int begin = min(static_cast<int>(threadIdx.x) * kSteps, count);
  const int steps = min(kSteps, count - begin);
  int row = ends_before(begin, ends, row_count, nonzero_count);
  int nonzero = begin - row;
  const int own_first_row = row;
  // [walk]
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
    const bool at_end = ends[row] <= nonzero;
    const float with_product = sum + __int_as_float(items[nonzero]);
    if (at_end) sums[row] = sum;
    sum = at_end ? 0 : with_product;
    row += at_end ? 1 : 0;
    nonzero += at_end ? 0 : 1;
  }
  // [walk]
  const bool has_end = row > own_first_row;
  float block_rest;
  const float before = block_sum_before<kThreads>({has_end, sum}, block_rest);
  if (has_end) sums[own_first_row] += before;
  if (threadIdx.x == 0) carries[blockIdx.x] = block_rest;
  __syncthreads();  // the sums of all rows that end in the tile
  for (int i = threadIdx.x; i < row_count; i += kThreads) y[first_row + i] = sums[i];
}

/// Adds what tiles leave over to the row that ends in a later one. Each thread takes neighbouring tiles.
__global__ void __launch_bounds__(kCarryThreads)
    carry_kernel(const int* first_rows, const float* carries, int tiles, float* y) {
  const int share = (tiles + kCarryThreads - 1) / kCarryThreads;
  const int begin = min(static_cast<int>(threadIdx.x) * share, tiles), end = min(begin + share, tiles);
  Rest own{false, 0};
  for (int tile = begin; tile < end; ++tile) {
    const bool has_end = first_rows[tile + 1] > first_rows[tile];
    own = {own.has_end || has_end, (has_end ? 0 : own.sum) + carries[tile]};
  }
  float block_rest;
  float sum = block_sum_before<kCarryThreads>(own, block_rest);
  for (int tile = begin; tile < end; ++tile) {
    const int row = first_rows[tile + 1];
    sum = (row > first_rows[tile] ? 0 : sum) + carries[tile];
    // The row ends in the next tile: nothing is left over for it behind this one.
    if (tile + 1 < tiles && first_rows[tile + 2] > row) y[row] += sum;
  }
}

int tiles_of(int rows, int nonzeros) { return lockstep::divide_up(rows + nonzeros, kTile); }

std::size_t sparse_matrix_workspace_bytes(int rows, int nonzeros) {
  const std::size_t tiles = tiles_of(rows, nonzeros);
  return (tiles + 1) * sizeof(int) + tiles * sizeof(float);
}

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int, int nonzeros, void* workspace, cudaStream_t stream) {
  const int tiles = tiles_of(rows, nonzeros);
  if (tiles == 0) return;  // a grid without blocks is an error
  int* const first_rows = static_cast<int*>(workspace);
  float* const carries = reinterpret_cast<float*>(first_rows + tiles + 1);
  const int* const row_ends = row_begins + 1;
  find_rows_kernel<<<lockstep::divide_up(tiles + 1, kSearchThreads), kSearchThreads, 0, stream>>>(
      row_ends, rows, nonzeros, tiles, first_rows);
  CHECK_CUDA(cudaGetLastError());
  multiply_kernel<<<tiles, kThreads, 0, stream>>>(row_ends, column_indices, values, x, y, rows, nonzeros,
                                                  first_rows, carries);
  CHECK_CUDA(cudaGetLastError());
  if (tiles == 1) return;  // nothing is left over
  carry_kernel<<<1, kCarryThreads, 0, stream>>>(first_rows, carries, tiles, y);
  CHECK_CUDA(cudaGetLastError());
}
