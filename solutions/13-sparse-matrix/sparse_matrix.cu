// Sparse matrix times vector in tiles of equally many rows and nonzeros, each of whose rows is summed up by
// as many lanes as its length asks for: the reference. Lecture: 13-sparse-matrix. Bound: the bandwidth of
// global memory, 8 bytes per nonzero and 8 per row, and the gather of x where x is larger than the caches. 12
// columns and values of each thread are in flight. Source: Merrill and Garland, "Merge-based Parallel Sparse
// Matrix-Vector Multiplication", SC 2016, for the tiles; Greathouse and Daga, "Efficient Sparse Matrix-Vector
// Multiplication on GPUs using the CSR Storage Format", SC 2014, for the rows within one.
#include <cuda_pipeline.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sparse_matrix.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kBlocks = 5;                          // that a multiprocessor holds
constexpr int kVectors = 3;                         // of four nonzeros, that a thread loads
constexpr int kTile = kThreads * kVectors * 4 - 4;  // rows and nonzeros; the first vector may begin before
constexpr int kNonzerosPerLane = 8;                 // about as many does a lane add
constexpr int kMostPerLane = 16;                    // a row that gives it more is left to a whole warp
constexpr int kMostLongRows = kTile / kMostPerLane;
constexpr int kSearchLanes = 8;
constexpr int kLooks = 16;  // tiles that a lane looks at in one round trip

__device__ float warp_sum(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

// [search]
/// How many ends of rows are among the first `steps` of the path through all nonzeros and all ends: the end
/// of row r is step row_ends[r] + r. Eight neighbouring lanes try eight rows at a time. All lanes of a warp
/// have to call this, each eight for a number of steps of their own.
__device__ int group_ends_before(int steps, const int* row_ends, int rows, int nonzeros) {
  const int lane = threadIdx.x % kSearchLanes, first_lane = threadIdx.x % kLanes - lane;
  int low = max(0, steps - nonzeros), high = min(steps, rows);  // the answer is one of these or between
  while (__any_sync(kAllLanes, low < high)) {
    const int stride = (high - low + kSearchLanes - 1) / kSearchLanes, row = low + lane * stride;
    const bool is_before = row < high && row_ends[row] + row < steps;
    const unsigned all = __ballot_sync(kAllLanes, is_before) >> first_lane;
    const int before = __popc(all & ((1U << kSearchLanes) - 1));  // the first of the rows that were tried
    high = min(high, low + before * stride);
    if (before > 0) low += (before - 1) * stride + 1;
  }
  return low;
}
// [search]

/// Where the tiles begin: first_rows[t] rows end before tile t.
__global__ void find_rows_kernel(const int* row_ends, int rows, int nonzeros, int tiles, int* first_rows) {
  const int tile = blockIdx.x * (kThreads / kSearchLanes) + threadIdx.x / kSearchLanes;
  const int steps = tile < tiles ? tile * kTile : rows + nonzeros;  // one more: the last tile ends there
  const int first_row = group_ends_before(steps, row_ends, rows, nonzeros);
  if (threadIdx.x % kSearchLanes == 0 && tile <= tiles) first_rows[tile] = first_row;
}

/// The sum of the products of `count` nonzeros, at least 1. Only thread 0 knows it.
__device__ float block_product(const int* column_indices, const float* values, const float* x, int count) {
  constexpr int kLoads = 6;  // columns and values of a thread that are in flight
  __shared__ float warp_sums[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  float sum = 0;
  for (int first = threadIdx.x; first < count; first += kLoads * kThreads) {
    int columns[kLoads];
    float factors[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int i = min(first + k * kThreads, count - 1);
      columns[k] = __ldcs(column_indices + i);
      factors[k] = __ldcs(values + i);
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      if (first + k * kThreads < count) sum += factors[k] * __ldg(x + columns[k]);
  }
  sum = warp_sum(sum);
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();  // the sums of all warps
  return warp_sum(lane < kWarps ? warp_sums[lane] : 0);
}

__global__ void __launch_bounds__(kThreads, kBlocks)
    multiply_kernel(const int* row_ends, const int* column_indices, const float* values, const float* x,
                    float* y, int rows, int nonzeros, const int* first_rows, float* carries) {
  // The products of the tile, and behind them where its rows begin.
  __shared__ __align__(sizeof(float4)) float products[kTile + 8];
  __shared__ int long_rows[kMostLongRows];
  __shared__ int long_count;
  const int tile_begin = blockIdx.x * kTile, count = min(kTile, rows + nonzeros - tile_begin);
  const int first_row = first_rows[blockIdx.x], row_count = first_rows[blockIdx.x + 1] - first_row;
  const int first_nonzero = tile_begin - first_row, nonzero_count = count - row_count;
  if (row_count == 0) {  // the row goes on in the next tile
    const float sum = block_product(column_indices + first_nonzero, values + first_nonzero, x, nonzero_count);
    if (threadIdx.x == 0) carries[blockIdx.x] = sum;
    return;
  }

  const int before = first_nonzero % 4;  // nonzeros of the first vector that belong to the tile before
  const int first_loaded = first_nonzero - before, end = before + nonzero_count;
  const int all_vectors = (end + 3) / 4, vectors = min(all_vectors, (nonzeros - first_loaded) / 4);
  const int4* const column_vectors = reinterpret_cast<const int4*>(column_indices + first_loaded);
  const float4* const value_vectors = reinterpret_cast<const float4*>(values + first_loaded);
  // [load-tile]
  // The nonzeros of the tile's row r are begins[r] to begins[r + 1] - 1. The last row goes on in the next
  // tile.
  int* const begins = reinterpret_cast<int*>(products + 4 * all_vectors);
  for (int row = threadIdx.x; row < row_count; row += kThreads)
    __pipeline_memcpy_async(begins + row + 1, row_ends + first_row + row, sizeof(int));
  __pipeline_commit();
  int4 columns[kVectors];
  float4 factors[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int vector = k * kThreads + threadIdx.x;
    if (vector < vectors) {
      columns[k] = __ldcs(column_vectors + vector);  // read once, never again
      factors[k] = __ldcs(value_vectors + vector);
    }
  }
  // [load-tile]
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int vector = k * kThreads + threadIdx.x;
    if (vector < vectors) {
      factors[k].x *= __ldg(x + columns[k].x);
      factors[k].y *= __ldg(x + columns[k].y);
      factors[k].z *= __ldg(x + columns[k].z);
      factors[k].w *= __ldg(x + columns[k].w);
    }
  }
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int vector = k * kThreads + threadIdx.x;
    if (vector < vectors) reinterpret_cast<float4*>(products)[vector] = factors[k];
  }
  const int rest = 4 * vectors + threadIdx.x;  // behind the last whole vector of the matrix
  if (rest < end) products[rest] = values[first_loaded + rest] * x[column_indices[first_loaded + rest]];
  if (threadIdx.x == 0) {
    begins[0] = first_nonzero;
    begins[row_count + 1] = first_nonzero + nonzero_count;
    long_count = 0;
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // the tile is complete

  const auto store = [=](int row, float sum) {
    if (row < row_count)
      y[first_row + row] = sum;
    else
      carries[blockIdx.x] = sum;
  };
  // [rows]
  int lanes = 1;  // for each row of the tile, as its rows are long on average
  while (lanes < kLanes && lanes * kNonzerosPerLane < nonzero_count / (row_count + 1)) lanes *= 2;
  const int lane_of_row = threadIdx.x % lanes, rows_at_once = kThreads / lanes;
  for (int first = 0; first <= row_count; first += rows_at_once) {
    const int row = first + threadIdx.x / lanes;
    const int begin = row <= row_count ? begins[row] : 0;
    const int length = row <= row_count ? begins[row + 1] - begin : 0;
    const bool is_long = length > lanes * kMostPerLane;
    float sum = 0;
    for (int i = lane_of_row; i < (is_long ? 0 : length); i += lanes)
      sum += products[begin - first_loaded + i];
    for (int offset = lanes / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(kAllLanes, sum, offset);
    if (lane_of_row == 0 && row <= row_count) {
      if (is_long)
        long_rows[atomicAdd(&long_count, 1)] = row;
      else
        store(row, sum);
    }
  }
  // [rows]
  __syncthreads();  // the list of long rows
  for (int i = threadIdx.x / kLanes; i < long_count; i += kWarps) {
    const int row = long_rows[i], lane = threadIdx.x % kLanes;
    float sum = 0;
    for (int at = begins[row] + lane; at < begins[row + 1]; at += kLanes) sum += products[at - first_loaded];
    sum = warp_sum(sum);
    if (lane == 0) store(row, sum);
  }
}

/// What the tiles before `tile` leave over for its first row: the carries of those back to the last in which
/// a row ends. Lane l looks at the tiles l + 1, l + 33, l + 65 and so on places back.
__device__ float warp_carry(int tile, const int* first_rows, const float* carries) {
  const int lane = threadIdx.x % kLanes;
  float sum = 0;
  for (int nearest = tile - 1 - lane;; nearest -= kLooks * kLanes) {
    float looked_at[kLooks];  // one round trip: no load needs what another finds
    bool has_end[kLooks];
    for (int look = 0; look < kLooks; ++look) {
      const int earlier = nearest - look * kLanes;
      looked_at[look] = earlier >= 0 ? carries[earlier] : 0;
      has_end[look] = earlier < 0 || first_rows[earlier + 1] > first_rows[earlier];
    }
    bool ends = false;
    for (int look = 0; look < kLooks; ++look) {
      const unsigned with_end = __ballot_sync(kAllLanes, has_end[look]);
      if (!ends && (with_end & ((1U << lane) - 1)) == 0) sum += looked_at[look];
      ends = ends || with_end != 0;
    }
    if (ends) return warp_sum(sum);
  }
}

/// Adds what tiles leave over to the row that ends in a later one, a thread for each of these.
__global__ void carry_kernel(const int* first_rows, const float* carries, int tiles, float* y) {
  const int tile = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % kLanes;
  const bool has_end = tile > 0 && tile < tiles && first_rows[tile + 1] > first_rows[tile];
  const bool goes_on = has_end && first_rows[tile] == first_rows[tile - 1];  // no row ends in the tile before
  if (has_end && !goes_on) y[first_rows[tile]] += carries[tile - 1];
  // The lanes of a warp look back together, for one tile after the other.
  for (unsigned left = __ballot_sync(kAllLanes, goes_on); left != 0; left &= left - 1) {
    const int source = __ffs(left) - 1, its_tile = __shfl_sync(kAllLanes, tile, source);
    const float carry = warp_carry(its_tile, first_rows, carries);
    if (lane == 0) y[first_rows[its_tile]] += carry;
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
  find_rows_kernel<<<lockstep::divide_up(tiles + 1, kThreads / kSearchLanes), kThreads, 0, stream>>>(
      row_ends, rows, nonzeros, tiles, first_rows);
  CHECK_CUDA(cudaGetLastError());
  multiply_kernel<<<tiles, kThreads, 0, stream>>>(row_ends, column_indices, values, x, y, rows, nonzeros,
                                                  first_rows, carries);
  CHECK_CUDA(cudaGetLastError());
  if (tiles == 1) return;  // nothing is left over
  carry_kernel<<<lockstep::divide_up(tiles, kThreads), kThreads, 0, stream>>>(first_rows, carries, tiles, y);
  CHECK_CUDA(cudaGetLastError());
}
