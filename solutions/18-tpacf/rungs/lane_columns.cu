// Pair counts in float, with double where float cannot tell, a table to find the bin, and counters for each
// lane. Lecture: 18-tpacf. Bound: issue, some twenty instructions a pair.
#include "tpacf.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr int kThreads = 128;  // and points of a tile
constexpr int kRows = 4;       // of a thread, kThreads apart
constexpr int kRowsOfBlock = kRows * kThreads;
constexpr int kMostEdges = kMostBins + 1;
constexpr double kUnit = 0x1p-24;  // of rounding to float

struct Position {
  double x, y, z;
};

/// Positions of all points, those of the data first.
__global__ void positions_kernel(const double* data, const double* randoms, int n, int points,
                                 Position* positions, float4* quick) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= points) return;
  const double* const point = i < n ? &data[2 * i] : &randoms[2 * (i - n)];
  double sin_alpha, cos_alpha, sin_delta, cos_delta;
  sincospi(point[0] / 180, &sin_alpha, &cos_alpha);
  sincospi(point[1] / 180, &sin_delta, &cos_delta);
  // [quick]
  const Position exact = {cos_delta * cos_alpha, cos_delta * sin_alpha, sin_delta};
  positions[i] = exact;
  quick[i] =
      make_float4(static_cast<float>(exact.x), static_cast<float>(exact.y), static_cast<float>(exact.z), 0);
  // [quick]
}

// --- edges ---

constexpr int kCellShift = 21;  // the exponent and two bits of mantissa are left of a float's bits
constexpr int kCells = 1 << (31 - kCellShift);

/// What is known of the edges; a copy lies in each block's shared memory. Of a cell, x: the least square of a
/// chord that may be beyond its edge, as the bits of a float; y: how many edges are below the cell, and from
/// bit 8 on, how many floats from x on are uncertain.
struct Tables {
  double edges[kMostEdges + 1];  // squares of chords; those behind the last are beyond all pairs
  uint2 cells[kCells];
};

// [error]
/// By how much a square of a chord near `edge` may be wrong in float: each position is off by kUnit, so is
/// the chord by twice that; difference and sum of squares round five times.
__device__ double error_of_chord(double edge) {
  return 1.05 * (kUnit * (4 * sqrt(edge) + 7 * edge) + 8 * kUnit * kUnit);
}
// [error]

// [cell]
/// A cell is all floats whose bits are from `begin` to before `end`.
__device__ uint2 cell_of(unsigned begin, unsigned end, const double* edges, int bins) {
  unsigned below = 0, meets = 0, first = 0, last = 0;
  for (int k = 0; k <= bins; ++k) {
    const double error = error_of_chord(edges[k]);
    const unsigned low = __float_as_uint(__double2float_rd(edges[k] - error));
    const unsigned high = __float_as_uint(__double2float_ru(edges[k] + error));
    below += high < begin;
    if (high < begin || low >= end) continue;
    first = meets == 0 ? low : first;
    last = high;
    ++meets;
  }
  if (meets == 0) return make_uint2(0x7fffffff, below);
  if (meets == 1) return make_uint2(first, (last - first + 1) << 8 | below);
  return make_uint2(begin, (end - begin) << 8 | below);  // all of the cell is uncertain
}

// [cell]

__global__ void __launch_bounds__(kCells)
    tables_kernel(double first, int per_decade, int bins, Tables* tables) {
  __shared__ double edges[kMostEdges + 1];
  const int k = threadIdx.x;
  if (k <= kMostEdges) {
    const double half_chord = sinpi(first * exp10(double(k) / per_decade) / 360);
    edges[k] = tables->edges[k] = k <= bins ? 4 * half_chord * half_chord : 5;
  }
  __syncthreads();  // all edges are there
  const unsigned begin = static_cast<unsigned>(k) << kCellShift;
  tables->cells[k] = cell_of(begin, begin + (1U << kCellShift), edges, bins);
}

// --- pairs ---

/// A pair of sets: the data with themselves, then with each random set, then these with themselves.
struct PairOfSets {
  int first_row, row_count, first_column, column_count;  // of all points
  int kind;                                              // 0: DD, 1: DR, 2: RR
};

__device__ PairOfSets pair_of_sets(int number, int n, int m, int sets) {
  if (number == 0) return {0, n, 0, n, 0};
  const bool is_both = number <= sets;
  const int random = n + (number - (is_both ? 1 : sets + 1)) * m;
  return {is_both ? 0 : random, is_both ? n : m, random, m, is_both ? 1 : 2};
}

__device__ double exact_square(Position a, Position b) {
  const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

/// What a block counts: its tile of columns against its rows, kRows of each thread.
struct Counter {
  const Tables& tables;
  unsigned* counters;  // this lane's column
  int bins;
  const float4* tile;                                // in shared memory
  const Position *row_positions, *column_positions;  // the first of the rows, and of the tile

  /// How many edges are not above the square of the chord of row i and column j.
  __device__ int edges_below(float4 a, float4 b, int i, int j) const {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    // [look-up]
    const unsigned bits = __float_as_uint(x * x + y * y + z * z);
    const uint2 cell = tables.cells[bits >> kCellShift];
    const int beyond = static_cast<int>(bits - cell.x);
    int below = static_cast<int>(cell.y & 0xff) + (beyond >= 0 ? 1 : 0);
    if (static_cast<unsigned>(beyond) < cell.y >> 8) {  // float cannot tell
      const double square = exact_square(row_positions[i], column_positions[j]);
      for (below = 0; below <= bins && tables.edges[below] <= square;) ++below;
    }
    // [look-up]
    return below;
  }

  // [lane-columns]
  /// On the diagonal row i meets columns from i + 1 on; the tile's first is column `first`.
  template <bool kOnDiagonal>
  __device__ void count(const float4 (&rows)[kRows], int columns, int first) const {
#pragma unroll 2
    for (int j = 0; j < columns; ++j) {
      const float4 other = tile[j];
      for (int r = 0; r < kRows; ++r) {
        const int i = r * kThreads + threadIdx.x;
        if (kOnDiagonal && i >= first + j) continue;
        atomicAdd(&counters[edges_below(rows[r], other, i, j) * kLanes], 1);
      }
    }
  }
  // [lane-columns]
};

/// A block has kRowsOfBlock rows of one pair of sets. A row of 32 counters, one a lane, for each number of
/// edges not above the pair: row 0 and the last two are pairs in no bin.
__global__ void __launch_bounds__(kThreads, 8)
    pairs_kernel(const float4* quick, const Position* positions, int n, int m, int sets, int blocks_of_pair,
                 const Tables* device_tables, int bins, unsigned long long* counts) {
  __shared__ Tables tables;
  __shared__ float4 tile[kThreads];
  extern __shared__ unsigned counters[];
  const PairOfSets pair = pair_of_sets(blockIdx.x / blocks_of_pair, n, m, sets);
  const int first_row = blockIdx.x % blocks_of_pair * kRowsOfBlock;
  if (first_row >= pair.row_count) return;
  for (int k = threadIdx.x; k < int(sizeof(Tables) / sizeof(int)); k += kThreads)
    reinterpret_cast<int*>(&tables)[k] = reinterpret_cast<const int*>(device_tables)[k];
  for (int k = threadIdx.x; k < (bins + 3) * kLanes; k += kThreads) counters[k] = 0;
  // [beyond-the-last]
  float4 rows[kRows];
  for (int r = 0; r < kRows; ++r) {
    const int i = first_row + r * kThreads + threadIdx.x;
    rows[r] = i < pair.row_count ? quick[pair.first_row + i] : make_float4(NAN, NAN, NAN, 0);
  }
  // [beyond-the-last]
  const bool is_one_set = pair.kind != 1;
  for (int first = is_one_set ? first_row : 0; first < pair.column_count; first += kThreads) {
    __syncthreads();  // all have used the points before; the first time: tables and counters are there
    const int column = pair.first_column + first, columns = min(kThreads, pair.column_count - first);
    if (threadIdx.x < columns) tile[threadIdx.x] = quick[column + threadIdx.x];
    __syncthreads();  // all of these are there
    const Counter at{tables, counters + threadIdx.x % kLanes,        bins,
                     tile,   positions + pair.first_row + first_row, positions + column};
    if (is_one_set && first < first_row + kRowsOfBlock) {
      at.count<true>(rows, columns, first - first_row);
    } else {
      at.count<false>(rows, columns, 0);
    }
  }
  __syncthreads();  // all have counted
  for (int k = threadIdx.x; k < bins; k += kThreads) {
    const unsigned* const row = &counters[(k + 1) * kLanes];
    unsigned long long count = 0;
    // Each thread begins at another column, so that the threads of a warp meet all 32 banks.
    for (int i = 0; i < kLanes; ++i) count += row[(k + i) % kLanes];
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
  return sizeof(Tables) + (n + std::size_t{1} * m * sets) * (sizeof(float4) + sizeof(Position));
}

void tpacf(const double* data, const double* randoms, int n, int m, int sets, double first, int per_decade,
           int bins, unsigned long long* counts, double* correlation, void* workspace, cudaStream_t stream) {
  const int points = n + m * sets;
  Tables* const tables = static_cast<Tables*>(workspace);
  float4* const quick = reinterpret_cast<float4*>(tables + 1);
  Position* const positions = reinterpret_cast<Position*>(quick + points);
  static_assert(sizeof(Tables) % sizeof(float4) == 0);
  CHECK_CUDA(cudaMemsetAsync(counts, 0, 3 * bins * sizeof *counts, stream));
  tables_kernel<<<1, kCells, 0, stream>>>(first, per_decade, bins, tables);
  CHECK_CUDA(cudaGetLastError());
  if (points > 0) {
    positions_kernel<<<lockstep::divide_up(points, kThreads), kThreads, 0, stream>>>(data, randoms, n, points,
                                                                                     positions, quick);
    CHECK_CUDA(cudaGetLastError());
    const int blocks_of_pair = lockstep::divide_up(n > m ? n : m, kRowsOfBlock);
    const std::size_t shared_bytes = (bins + 3) * kLanes * sizeof(unsigned);
    pairs_kernel<<<(1 + 2 * sets) * blocks_of_pair, kThreads, shared_bytes, stream>>>(
        quick, positions, n, m, sets, blocks_of_pair, tables, bins, counts);
    CHECK_CUDA(cudaGetLastError());
  }
  correlation_kernel<<<1, kMostBins, 0, stream>>>(counts, n, m, sets, bins, correlation);
  CHECK_CUDA(cudaGetLastError());
}
