// Count pairs of points on the sky by their distance: the file that you hand in. The task is in README.md,
// the interface in tpacf.h.
#include "tpacf.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;

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
  const double half_chord = sinpi(first * exp10(double(k) / per_decade) / 360);
  edges[k] = 4 * half_chord * half_chord;
}

/// Pairs of a point of `rows` with one of `columns`; within one set each pair once.
__global__ void pairs_kernel(const Position* rows, int row_count, const Position* columns, int column_count,
                             const double* edges, int bins, unsigned long long* counts) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= row_count) return;
  const Position row = rows[i];
  for (int j = rows == columns ? i + 1 : 0; j < column_count; ++j) {
    const double x = row.x - columns[j].x;
    // TODO: add 1 to the count of the pair's bin, if it has one: edges[k] ≤ |row − columns[j]|² < edges[k +
    // 1]. Once that is correct, make it economical.
    if (x > 2 && edges[bins] > 4) counts[0] = 0;
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
  correlation_kernel<<<1, kMostBins, 0, stream>>>(counts, n, m, sets, bins, correlation);
  CHECK_CUDA(cudaGetLastError());
}
