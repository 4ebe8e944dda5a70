// fails: shared-passes
// at: if (edges[middle] <= square) {
// Pair counts of all pairs of sets in one launch, each pair once, as the source's second version.
// Lecture: 18-tpacf.
// Bound: finding the bin, some fifteen reads of shared memory a pair.
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

// [which-sets]
/// A pair of sets: the data with themselves, then with each random set, then these with themselves.
struct PairOfSets {
  const Position *rows, *columns;
  int row_count, column_count;
  int kind;  // 0: DD, 1: DR, 2: RR
};

__device__ PairOfSets pair_of_sets(int number, const Position* positions, int n, int m, int sets) {
  if (number == 0) return {positions, positions, n, n, 0};
  const bool is_both = number <= sets;
  const Position* const random = positions + n + (number - (is_both ? 1 : sets + 1)) * m;
  return {is_both ? positions : random, random, is_both ? n : m, m, is_both ? 1 : 2};
}
// [which-sets]

/// A block has kThreads rows of one pair of sets.
__global__ void __launch_bounds__(kThreads)
    pairs_kernel(const Position* positions, int n, int m, int sets, int blocks_of_pair, const double* edges,
                 int bins, unsigned long long* counts) {
  __shared__ Position tile[kThreads];
  __shared__ double block_edges[kMostBins + 1];
  __shared__ unsigned counters[kWarps][kMostBins];
  const PairOfSets pair = pair_of_sets(blockIdx.x / blocks_of_pair, positions, n, m, sets);
  const int first_row = blockIdx.x % blocks_of_pair * kThreads;
  if (first_row >= pair.row_count) return;
  for (int k = threadIdx.x; k <= bins; k += kThreads) block_edges[k] = edges[k];
  for (int k = threadIdx.x; k < kWarps * kMostBins; k += kThreads) counters[0][k] = 0;
  unsigned* const own = counters[threadIdx.x / 32];
  const int i = first_row + threadIdx.x;
  const Position row = pair.rows[min(i, pair.row_count - 1)];
  // [each-pair-once]
  const bool is_one_set = pair.kind != 1;
  for (int first = is_one_set ? first_row : 0; first < pair.column_count; first += kThreads) {
    __syncthreads();  // all have used the points before; the first time: counters are clear
    if (first + threadIdx.x < pair.column_count) tile[threadIdx.x] = pair.columns[first + threadIdx.x];
    __syncthreads();  // all of these are there
    const int begin = is_one_set && first == first_row ? threadIdx.x + 1 : 0;
    for (int j = begin; i < pair.row_count && j < min(kThreads, pair.column_count - first); ++j) {
      const int bin = bin_of(square_of_chord(row, tile[j]), block_edges, bins);
      if (bin >= 0 && bin < bins) atomicAdd(&own[bin], 1);
    }
  }
  // [each-pair-once]
  __syncthreads();  // all have counted
  for (int k = threadIdx.x; k < bins; k += kThreads) {
    unsigned count = 0;
    for (int warp = 0; warp < kWarps; ++warp) count += counters[warp][k];
    if (count != 0) atomicAdd(&counts[pair.kind * bins + k], count);
  }
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
  const int blocks_of_pair = lockstep::divide_up(n > m ? n : m, kThreads);
  if (points > 0) {
    pairs_kernel<<<(1 + 2 * sets) * blocks_of_pair, kThreads, 0, stream>>>(
        positions, n, m, sets, blocks_of_pair, edges, bins, counts);
    CHECK_CUDA(cudaGetLastError());
  }
  correlation_kernel<<<1, kMostBins, 0, stream>>>(counts, n, m, sets, bins, correlation);
  CHECK_CUDA(cudaGetLastError());
}
