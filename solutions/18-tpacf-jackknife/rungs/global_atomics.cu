// fails: bytes-per-element
// at: const int bin = bin_of(square_of_chord(row, positions[j]), edges, bins);
// Each pair once, one thread per row, and an addition in global memory for all pairs and for each region of
// the pair. Lecture: 18-tpacf. Bound: additions in global memory, to few addresses.
#include "tpacf_jackknife.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;

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

__global__ void pairs_kernel(const Position* positions, const int* region_of, int n, const double* edges,
                             int bins, unsigned long long* counts) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const Position row = positions[i];
  const int region_i = region_of[i];
  for (int j = i + 1; j < n; ++j) {
    const int bin = bin_of(square_of_chord(row, positions[j]), edges, bins);
    if (bin < 0 || bin >= bins) continue;
    const int region_j = region_of[j];
    atomicAdd(&counts[bin], 1ULL);
    atomicAdd(&counts[(1 + region_i) * bins + bin], 1ULL);
    if (region_j != region_i) atomicAdd(&counts[(1 + region_j) * bins + bin], 1ULL);
  }
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
    pairs_kernel<<<blocks, kThreads, 0, stream>>>(positions, region_of, n, edges, bins, counts);
    CHECK_CUDA(cudaGetLastError());
  }
  left_out_kernel<<<1, kMaxAngularBins, 0, stream>>>(regions, bins, counts);
  CHECK_CUDA(cudaGetLastError());
}
