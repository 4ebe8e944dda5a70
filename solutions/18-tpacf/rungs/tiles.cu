// fails: shared-passes
// at: if (edges[middle] <= square) {
// Pair counts with tiles of points and counters of each warp in shared memory, one launch for each pair of
// sets, as the source's first version. Lecture: 18-tpacf.
// Bound: finding the bin, some fifteen reads of shared memory a pair; and within a set every pair twice.
#include "tpacf.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;  // and rows of a block, and points of a tile
constexpr int kWarps = kThreads / 32;

struct Position {
  double x, y, z;
};

/// Positions of all points, those of the data first.
__global__ void positions_kernel(const double* data, const double* randoms, int n, int points,
                                 Position* positions) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= points) return;
  const double* const point = i < n ? &data[2 * i] : &randoms[2 * (i - n)];
  double sin_alpha, cos_alpha, sin_delta, cos_delta;
  sincospi(point[0] / 180, &sin_alpha, &cos_alpha);
  sincospi(point[1] / 180, &sin_delta, &cos_delta);
  positions[i] = {cos_delta * cos_alpha, cos_delta * sin_alpha, sin_delta};
}

/// Squares of the chords at which the bins begin, and at which the last ends.
__global__ void edges_kernel(double first, int per_decade, int bins, double* edges) {
  const int k = threadIdx.x;
  if (k > bins) return;
  const double angle = first * exp10(double(k) / per_decade);  // in degrees
  const double half_chord = sinpi(angle / 360);
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

/// Pairs of a point of `rows` with one of `columns`. Within one set each pair comes twice, and each point
/// meets itself, at a distance that has no bin.
__global__ void __launch_bounds__(kThreads)
    pairs_kernel(const Position* rows, int row_count, const Position* columns, int column_count,
                 const double* edges, int bins, unsigned long long* counts) {
  __shared__ Position tile[kThreads];
  __shared__ double block_edges[kMostBins + 1];
  __shared__ unsigned counters[kWarps][kMostBins];
  for (int k = threadIdx.x; k <= bins; k += kThreads) block_edges[k] = edges[k];
  for (int k = threadIdx.x; k < kWarps * kMostBins; k += kThreads) counters[0][k] = 0;
  unsigned* const own = counters[threadIdx.x / 32];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const Position row = rows[min(i, row_count - 1)];
  // [tile]
  for (int first = 0; first < column_count; first += kThreads) {
    __syncthreads();  // all have used the points before; the first time: counters are clear
    if (first + threadIdx.x < column_count) tile[threadIdx.x] = columns[first + threadIdx.x];
    __syncthreads();  // all of these are there
    for (int j = 0; i < row_count && j < min(kThreads, column_count - first); ++j) {
      const int bin = bin_of(square_of_chord(row, tile[j]), block_edges, bins);
      if (bin >= 0 && bin < bins) atomicAdd(&own[bin], 1);
    }
  }
  // [tile]
  __syncthreads();  // all have counted
  // [add-up-warps]
  for (int k = threadIdx.x; k < bins; k += kThreads) {
    unsigned count = 0;
    for (int warp = 0; warp < kWarps; ++warp) count += counters[warp][k];
    if (count != 0) atomicAdd(&counts[k], count);
  }
  // [add-up-warps]
}

/// Within a set all pairs were met from either end.
__global__ void halve_kernel(unsigned long long* counts, int bins) {
  const int k = threadIdx.x;
  if (k >= bins) return;
  counts[k] /= 2;
  counts[2 * bins + k] /= 2;
}

__device__ double share(double count, double pairs) { return pairs == 0 ? 0 : count / pairs; }

__global__ void correlation_kernel(const unsigned long long* counts, int n, int m, int sets, int bins,
                                   double* correlation) {
  const int k = threadIdx.x;
  if (k >= bins) return;
  const double data = n, random = m;
  const double DD = counts[k], DR = counts[bins + k], RR = counts[2 * bins + k];
  const double dd = share(DD, data * (data - 1) / 2), dr = share(DR, data * random * sets),
               rr = share(RR, sets * (random * (random - 1) / 2));
  correlation[k] = RR == 0 ? 0 : (dd - 2 * dr + rr) / rr;
  correlation[bins + k] = RR == 0 ? 0 : (sets * DD - DR) / RR + 1;
}

std::size_t tpacf_workspace_bytes(int n, int m, int sets, int) {
  return (n + std::size_t{1} * m * sets) * sizeof(Position) + (kMostBins + 1) * sizeof(double);
}

void tpacf(const double* data, const double* randoms, int n, int m, int sets, double first, int per_decade,
           int bins, unsigned long long* counts, double* correlation, void* workspace, cudaStream_t stream) {
  const int points = n + m * sets;
  double* const edges = static_cast<double*>(workspace);
  Position* const positions = reinterpret_cast<Position*>(edges + kMostBins + 1);
  CHECK_CUDA(cudaMemsetAsync(counts, 0, 3 * bins * sizeof *counts, stream));
  edges_kernel<<<1, kMostBins + 1, 0, stream>>>(first, per_decade, bins, edges);
  CHECK_CUDA(cudaGetLastError());
  if (points > 0) {
    positions_kernel<<<lockstep::divide_up(points, kThreads), kThreads, 0, stream>>>(data, randoms, n, points,
                                                                                     positions);
    CHECK_CUDA(cudaGetLastError());
  }
  const auto count = [&](const Position* rows, int row_count, const Position* columns, int column_count,
                         unsigned long long* into) {
    if (row_count == 0 || column_count == 0) return;
    pairs_kernel<<<lockstep::divide_up(row_count, kThreads), kThreads, 0, stream>>>(
        rows, row_count, columns, column_count, edges, bins, into);
    CHECK_CUDA(cudaGetLastError());
  };
  count(positions, n, positions, n, counts);
  for (int set = 0; set < sets; ++set) {
    const Position* const random = positions + n + set * m;
    count(positions, n, random, m, counts + bins);
    count(random, m, random, m, counts + 2 * bins);
  }
  halve_kernel<<<1, kMostBins, 0, stream>>>(counts, bins);
  CHECK_CUDA(cudaGetLastError());
  correlation_kernel<<<1, kMostBins, 0, stream>>>(counts, n, m, sets, bins, correlation);
  CHECK_CUDA(cudaGetLastError());
}
