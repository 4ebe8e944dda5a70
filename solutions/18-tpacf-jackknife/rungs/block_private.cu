// Each pair once: it is in all counts but those of its one or two regions, so these are counted, and taken
// away from all pairs at the end. Lecture: 18-tpacf. Bound: finding the bin, some ten reads of shared memory
// a pair, and three additions there.
#include "tpacf_jackknife.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;  // and rows of a block, and points of a tile

struct Position {
  double x, y, z;
};

__global__ void positions_kernel(const double* points, int n, Position* positions) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  double sin_alpha, cos_alpha, sin_delta, cos_delta;
  sincospi(points[2 * i] / 180, &sin_alpha, &cos_alpha);
  sincospi(points[2 * i + 1] / 180, &sin_delta, &cos_delta);
  positions[i] = {cos_delta * cos_alpha, cos_delta * sin_alpha, sin_delta};
}

/// Squares of the chords at which the bins begin, and at which the last ends.
__global__ void edges_kernel(double first, int per_decade, int bins, double* edges) {
  const int k = threadIdx.x;
  if (k > bins) return;
  const double half_chord = sinpi(first * exp10(double(k) / per_decade) / 360);
  edges[k] = 4 * half_chord * half_chord;
}

__device__ double square_of_chord(Position a, Position b) {
  const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

/// The bin of a pair: −1 below the first, `bins` beyond the last.
__device__ int bin_of(double square, const double* edges, int bins) {
  int low = 0, high = bins + 1;  // the edges before `low` are not above `square`, those from `high` on are
  while (low < high) {
    const int middle = (low + high) / 2;
    if (edges[middle] <= square) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

/// A block has kThreads rows. It counts all pairs, then the pairs with a point in each region.
__global__ void __launch_bounds__(kThreads)
    pairs_kernel(const Position* positions, const int* region_of, int n, const double* edges, int regions,
                 int bins, unsigned long long* counts) {
  __shared__ Position tile[kThreads];
  __shared__ int tile_regions[kThreads];
  __shared__ double block_edges[kMaxAngularBins + 1];
  __shared__ unsigned block_counts[(1 + kMaxRegions) * kMaxAngularBins];
  for (int k = threadIdx.x; k <= bins; k += kThreads) block_edges[k] = edges[k];
  for (int k = threadIdx.x; k < (1 + regions) * bins; k += kThreads) block_counts[k] = 0;
  const int first_row = blockIdx.x * kThreads, i = first_row + threadIdx.x;
  const Position row = positions[min(i, n - 1)];
  const int row_region = region_of[min(i, n - 1)];
  for (int first = first_row; first < n; first += kThreads) {
    __syncthreads();  // all have used the points before; the first time: counters are clear
    if (first + threadIdx.x < n) {
      tile[threadIdx.x] = positions[first + threadIdx.x];
      tile_regions[threadIdx.x] = region_of[first + threadIdx.x];
    }
    __syncthreads();  // all of these are there
    const int begin = first == first_row ? threadIdx.x + 1 : 0;
    for (int j = begin; i < n && j < min(kThreads, n - first); ++j) {
      const int bin = bin_of(square_of_chord(row, tile[j]), block_edges, bins);
      if (bin < 0 || bin >= bins) continue;
      const int column_region = tile_regions[j];
      atomicAdd(&block_counts[bin], 1);
      atomicAdd(&block_counts[(1 + row_region) * bins + bin], 1);
      if (column_region != row_region) atomicAdd(&block_counts[(1 + column_region) * bins + bin], 1);
    }
  }
  __syncthreads();  // all have counted
  for (int k = threadIdx.x; k < (1 + regions) * bins; k += kThreads)
    if (block_counts[k] != 0) atomicAdd(&counts[k], block_counts[k]);
}

/// From the pairs with a point in each region to those without.
__global__ void left_out_kernel(int regions, int bins, unsigned long long* counts) {
  const int k = threadIdx.x;
  if (k >= bins) return;
  for (int r = 0; r < regions; ++r) counts[(1 + r) * bins + k] = counts[k] - counts[(1 + r) * bins + k];
}

std::size_t tpacf_jackknife_workspace_bytes(int n, int, int) {
  return n * sizeof(Position) + (kMaxAngularBins + 1) * sizeof(double);
}

void tpacf_jackknife(const double* points, const int* region_of, int n, int regions, double first,
                     int per_decade, int bins, unsigned long long* counts, void* workspace,
                     cudaStream_t stream) {
  double* const edges = static_cast<double*>(workspace);
  Position* const positions = reinterpret_cast<Position*>(edges + kMaxAngularBins + 1);
  CHECK_CUDA(cudaMemsetAsync(counts, 0, (1 + regions) * bins * sizeof *counts, stream));
  edges_kernel<<<1, kMaxAngularBins + 1, 0, stream>>>(first, per_decade, bins, edges);
  CHECK_CUDA(cudaGetLastError());
  if (n > 0) {
    const int blocks = lockstep::divide_up(n, kThreads);
    positions_kernel<<<blocks, kThreads, 0, stream>>>(points, n, positions);
    CHECK_CUDA(cudaGetLastError());
    pairs_kernel<<<blocks, kThreads, 0, stream>>>(positions, region_of, n, edges, regions, bins, counts);
    CHECK_CUDA(cudaGetLastError());
  }
  left_out_kernel<<<1, kMaxAngularBins, 0, stream>>>(regions, bins, counts);
  CHECK_CUDA(cudaGetLastError());
}
