// Pair counts by tiles of neighbours, where most pairs are compared with the one edge that their tile meets.
// Lecture: 18-tpacf. Bound: issue, at some eleven instructions a pair of a tile that meets one edge.
#include "tpacf.h"

#include <math_constants.h>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;  // and points of a group
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kWarps = 8;  // of a block, each with a group of rows
constexpr int kThreads = kWarps * kLanes;
constexpr int kColumns = kLanes * kLanes;   // a chunk: 32 groups, at hand in shared memory
constexpr int kMostParts = 4;               // of the chunks, each for another block
constexpr int kTableEdges = kMostBins + 2;  // one behind the last, beyond all pairs
constexpr double kUnit = 0x1p-24;           // of rounding to float

struct Position {
  double x, y, z;
};

// --- edges ---

constexpr int kCellShift = 21;  // the exponent and two bits of mantissa are left of a float's bits
constexpr int kCells = 1 << (31 - kCellShift);

/// What is known of the edges; a copy lies in each block's shared memory. Of a cell, x: the least square of a
/// chord that may be beyond its edge, as the bits of a float; y: how many edges are below the cell, and from
/// bit 8 on, how many floats from x on are uncertain.
struct Tables {
  double edges[kTableEdges];   // squares of chords
  float angles[kTableEdges];   // radians
  float2 bounds[kTableEdges];  // float cannot tell on which side of an edge squares between them are
  uint2 cells[kCells];
};

/// By how much a square of a chord near `edge` may be wrong in float: each position is off by kUnit, so is
/// the chord by twice that; difference and sum of squares round five times.
__device__ double error_of_chord(double edge) {
  return 1.05 * (kUnit * (4 * sqrt(edge) + 7 * edge) + 8 * kUnit * kUnit);
}

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

__global__ void __launch_bounds__(kCells)
    tables_kernel(double first, int per_decade, int bins, Tables* tables) {
  __shared__ double edges[kTableEdges];
  const int k = threadIdx.x;
  if (k < kTableEdges) {
    const double angle = k <= bins ? first * exp10(double(k) / per_decade) : 360;  // in degrees
    const double half_chord = sinpi(angle / 360);
    const double edge = k <= bins ? 4 * half_chord * half_chord : 5, error = error_of_chord(edge);
    edges[k] = tables->edges[k] = edge;
    tables->bounds[k] = make_float2(__double2float_rd(edge - error), __double2float_ru(edge + error));
    tables->angles[k] = static_cast<float>(angle * (CUDART_PI / 180));
  }
  __syncthreads();  // all edges are there
  const unsigned begin = static_cast<unsigned>(k) << kCellShift;
  tables->cells[k] = cell_of(begin, begin + (1U << kCellShift), edges, bins);
}

// --- points in an order in which neighbours are close ---

constexpr int kSortThreads = 1024;
constexpr int kPlacesOfThread = 8;
constexpr int kPlaces = kPlacesOfThread * kSortThreads;

__host__ __device__ int groups_of(int points) { return (points + kLanes - 1) / kLanes; }

/// The directions from the origin to the points of a group lie in a cone.
struct Cone {
  float x, y, z;  // its axis
  float radius;   // the angle within which all of them are
};

/// All sets in groups of 32 points, the data first. The last group of a set is filled up with points that are
/// not numbers.
struct Sets {
  int n, m, sets;
  Position* positions;
  float4* quick;
  Cone* cones;

  __host__ __device__ int points_of(int set) const { return set == 0 ? n : m; }
  __host__ __device__ int first_group_of(int set) const {
    return set == 0 ? 0 : groups_of(n) + (set - 1) * groups_of(m);
  }
};

/// Bands of declination, cut along the right ascension; as many as make groups of 32 points about square.
__device__ int place_of(double alpha, double delta, int count) {
  const int bands = static_cast<int>(ceil(sqrt(count / double(kLanes)))), columns = kPlaces / bands;
  const int band = min(bands - 1, static_cast<int>((delta + 90) / 180 * bands));
  return band * columns + min(columns - 1, static_cast<int>(alpha / 360 * columns));
}

/// Makes each counter the sum of those before it.
__device__ void block_scan(int* counters) {
  __shared__ int sums[kSortThreads];
  int* const own = counters + threadIdx.x * kPlacesOfThread;
  int sum = 0;
  for (int i = 0; i < kPlacesOfThread; ++i) sum += own[i];
  const int total = sum;
  for (int offset = 1; offset < kSortThreads; offset *= 2) {
    sums[threadIdx.x] = sum;
    __syncthreads();  // all sums are there
    if (threadIdx.x >= offset) sum += sums[threadIdx.x - offset];
    __syncthreads();  // all have read
  }
  sum -= total;
  for (int i = 0; i < kPlacesOfThread; ++i) {
    const int count = own[i];
    own[i] = sum;
    sum += count;
  }
}

/// A block sorts the points of one set by their places: it counts them, adds the counts up, and moves each.
__global__ void __launch_bounds__(kSortThreads)
    sort_kernel(const double* data, const double* randoms, Sets sets) {
  __shared__ int counters[kPlaces];
  const int set = blockIdx.x, count = sets.points_of(set);
  if (count == 0) return;
  const double* const points = set == 0 ? data : randoms + std::size_t{2} * (set - 1) * sets.m;
  const std::size_t begin = std::size_t{1} * sets.first_group_of(set) * kLanes;
  for (int i = threadIdx.x; i < kPlaces; i += kSortThreads) counters[i] = 0;
  __syncthreads();  // counters are clear
  for (int i = threadIdx.x; i < count; i += kSortThreads)
    atomicAdd(&counters[place_of(points[2 * i], points[2 * i + 1], count)], 1);
  __syncthreads();  // all are counted
  block_scan(counters);
  __syncthreads();  // all counters are sums
  for (int i = threadIdx.x; i < groups_of(count) * kLanes; i += kSortThreads) {
    Position point = {NAN, NAN, NAN};
    int at = i;
    if (i < count) {
      const double alpha = points[2 * i], delta = points[2 * i + 1];
      double sin_alpha, cos_alpha, sin_delta, cos_delta;
      sincospi(alpha / 180, &sin_alpha, &cos_alpha);
      sincospi(delta / 180, &sin_delta, &cos_delta);
      point = {cos_delta * cos_alpha, cos_delta * sin_alpha, sin_delta};
      at = atomicAdd(&counters[place_of(alpha, delta, count)], 1);
    }
    sets.positions[begin + at] = point;
    sets.quick[begin + at] =
        make_float4(static_cast<float>(point.x), static_cast<float>(point.y), static_cast<float>(point.z), 0);
  }
}

__device__ double warp_sum(double value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// A warp for each group.
__global__ void cones_kernel(Sets sets, int groups) {
  const int group = blockIdx.x * kWarps + threadIdx.x / kLanes;
  if (group >= groups) return;
  const Position point = sets.positions[std::size_t{1} * group * kLanes + threadIdx.x % kLanes];
  const bool is_one = point.x == point.x;  // a number
  const double x = warp_sum(is_one ? point.x : 0), y = warp_sum(is_one ? point.y : 0),
               z = warp_sum(is_one ? point.z : 0), length = sqrt(x * x + y * y + z * z);
  double least = is_one ? (x * point.x + y * point.y + z * point.z) / length : 1;  // cosine
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    least = fmin(least, __shfl_xor_sync(kAllLanes, least, offset));
  const float radius = static_cast<float>(acos(fmax(-1.0, fmin(least, 1.0))));
  if (threadIdx.x % kLanes != 0) return;
  sets.cones[group] = length < 0.01 ? Cone{1, 0, 0, 4}  // all round the sphere
                                    : Cone{static_cast<float>(x / length), static_cast<float>(y / length),
                                           static_cast<float>(z / length), radius};
}

// --- pairs ---

/// A pair of sets: the data with themselves, then with each random set, then these with themselves.
struct PairOfSets {
  int row_set, column_set;
  int kind;  // 0: DD, 1: DR, 2: RR
};

__device__ PairOfSets pair_of_sets(int number, int sets) {
  if (number == 0) return {0, 0, 0};
  const bool is_both = number <= sets;
  const int random = number - (is_both ? 0 : sets);
  return {is_both ? 0 : random, random, is_both ? 1 : 2};
}

__device__ float square_of_chord(float4 a, float4 b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

__device__ double exact_square(Position a, Position b) {
  const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

/// The edges that pairs of two groups may lie on either side of.
struct Edges {
  int first, count;
};

__device__ Edges edges_between(Cone a, Cone b, const Tables& tables, int bins) {
  constexpr float kMargin = 0.001F;  // acosf of what rounding makes of a cosine near 1 may be off by so much
  const float angle = acosf(fmaxf(-1, fminf(a.x * b.x + a.y * b.y + a.z * b.z, 1)));
  const float reach = a.radius + b.radius + kMargin;
  Edges edges = {0, 0};
  for (int k = 0; k <= bins; ++k) {
    // |edge - angle| <= reach would round on its own, and could leave an edge neither below nor met.
    const bool below = tables.angles[k] < angle - reach;
    const bool above = tables.angles[k] > angle + reach;
    edges.first += below;
    edges.count += !below && !above;
  }
  return edges;
}

/// How many of a set's points are in one of its groups.
__device__ unsigned points_in(int group, int points) { return min(points - group * kLanes, kLanes); }

/// A group of columns, at hand in shared memory.
struct Columns {
  const float4* quick;
  const Position* positions;
};

/// A group of rows; this lane has one of them.
struct Rows {
  const Tables& tables;
  unsigned* counters;  // this lane's column
  int bins;
  float4 quick;
  const Position* position;

  __device__ void add(int edges_below, unsigned pairs) const {
    atomicAdd(&counters[edges_below * kLanes], pairs);
  }

  /// How many pairs of this lane are below edge k, where float cannot tell.
  __device__ unsigned exactly_below(Columns columns, int k) const {
    unsigned below = 0;
#pragma unroll 4
    for (int j = 0; j < kLanes; ++j)
      below += exact_square(*position, columns.positions[j]) < tables.edges[k] ? 1 : 0;
    return below;
  }

  /// Counts a tile whose pairs may lie on either side of kEdges edges from `first` on, and of no other.
  template <int kEdges>
  __device__ void count_below(Columns columns, int first, unsigned pairs) const {
    // [compare]
    float surely[kEdges] = {}, perhaps[kEdges] = {};  // a comparison gives 1.0F or 0 in one instruction
#pragma unroll 8
    for (int j = 0; j < kLanes; ++j) {
      const float square = square_of_chord(quick, columns.quick[j]);
      for (int k = 0; k < kEdges; ++k) {
        surely[k] += square < tables.bounds[first + k].x ? 1.0F : 0.0F;
        perhaps[k] += square <= tables.bounds[first + k].y ? 1.0F : 0.0F;
      }
    }
    // [compare]
    // [differences]
    unsigned before = 0;
    for (int k = 0; k < kEdges; ++k) {
      const unsigned below =
          surely[k] == perhaps[k] ? static_cast<unsigned>(surely[k]) : exactly_below(columns, first + k);
      add(first + k, below - before);
      before = below;
    }
    add(first + kEdges, pairs - before);
    // [differences]
  }

  /// Counts a tile pair by pair. On the diagonal a row meets the columns behind it.
  __device__ void count_pairs(Columns columns, bool on_diagonal) const {
#pragma unroll 4
    for (int j = on_diagonal ? threadIdx.x % kLanes + 1 : 0; j < kLanes; ++j) {
      const unsigned bits = __float_as_uint(square_of_chord(quick, columns.quick[j]));
      const uint2 cell = tables.cells[bits >> kCellShift];
      const int beyond = static_cast<int>(bits - cell.x);
      int below = static_cast<int>(cell.y & 0xff) + (beyond >= 0 ? 1 : 0);
      if (static_cast<unsigned>(beyond) < cell.y >> 8) {  // float cannot tell
        const double square = exact_square(*position, columns.positions[j]);
        for (below = 0; below <= bins && tables.edges[below] <= square;) ++below;
      }
      add(below, 1);
    }
  }
};

/// A block has kWarps groups of rows of one pair of sets, one a warp, and every gridDim.y-th chunk of
/// columns. It has a row of 32 counters, one a lane, for each number of edges not above the pair: row 0 and
/// the last two are pairs in no bin.
__global__ void __launch_bounds__(kThreads, 6)
    pairs_kernel(Sets sets, int blocks_of_pair, const Tables* device_tables, int bins,
                 unsigned long long* counts) {
  __shared__ Tables tables;
  __shared__ float4 columns[kColumns];
  extern __shared__ unsigned counters[];
  const PairOfSets pair = pair_of_sets(blockIdx.x / blocks_of_pair, sets.sets);
  const int row_points = sets.points_of(pair.row_set), column_points = sets.points_of(pair.column_set);
  const int block_group = blockIdx.x % blocks_of_pair * kWarps;
  if (block_group >= groups_of(row_points)) return;
  for (int k = threadIdx.x; k < int(sizeof(Tables) / sizeof(int)); k += kThreads)
    reinterpret_cast<int*>(&tables)[k] = reinterpret_cast<const int*>(device_tables)[k];
  for (int k = threadIdx.x; k < (bins + 3) * kLanes; k += kThreads) counters[k] = 0;
  const int lane = threadIdx.x % kLanes, row_group = block_group + threadIdx.x / kLanes;
  const bool has_rows = row_group < groups_of(row_points), is_one_set = pair.kind != 1;
  const std::size_t row_begin = sets.first_group_of(pair.row_set) + std::size_t{1} * row_group;
  const std::size_t column_begin = sets.first_group_of(pair.column_set);
  const Cone cone = has_rows ? sets.cones[row_begin] : Cone{};
  const std::size_t own_row = row_begin * kLanes + lane;
  const Rows rows{tables, counters + lane, bins, has_rows ? sets.quick[own_row] : float4{},
                  sets.positions + own_row};
  const bool is_row = row_group * kLanes + lane < row_points;
  for (int chunk = blockIdx.y; chunk * kColumns < column_points; chunk += gridDim.y) {
    // Within one set, tiles below the diagonal have the pairs of those above it.
    if (is_one_set && (chunk + 1) * kLanes <= block_group) continue;
    const std::size_t first_column = column_begin * kLanes + chunk * kColumns;
    const int there = min(kColumns, groups_of(column_points) * kLanes - chunk * kColumns);
    __syncthreads();  // all have used the points before; the first time: tables and counters are there
    for (int i = threadIdx.x; i < there; i += kThreads) columns[i] = sets.quick[first_column + i];
    __syncthreads();                          // all of these are there
    const int group = chunk * kLanes + lane;  // of columns: each lane looks at another tile
    const bool is_counted = has_rows && lane * kLanes < there && !(is_one_set && group < row_group);
    const bool is_own = is_one_set && group == row_group;  // on the diagonal
    Edges edges{};
    if (is_counted) {
      edges = edges_between(cone, sets.cones[column_begin + group], tables, bins);
      if (edges.count == 0 && !is_own)
        rows.add(edges.first, points_in(row_group, row_points) * points_in(group, column_points));
    }
    unsigned tiles = __ballot_sync(kAllLanes, is_counted && (edges.count != 0 || is_own));
    // [each-tile]
    for (; tiles != 0; tiles &= tiles - 1) {  // all lanes count these, one after the other
      const int tile = __ffs(tiles) - 1, column_group = chunk * kLanes + tile;
      const Columns at{columns + tile * kLanes, sets.positions + first_column + tile * kLanes};
      const int first = __shfl_sync(kAllLanes, edges.first, tile);
      const int count = __shfl_sync(kAllLanes, edges.count, tile);
      const unsigned pairs = is_row ? points_in(column_group, column_points) : 0;
      const bool on_diagonal = is_one_set && column_group == row_group;
      if (on_diagonal || count > 3) {
        rows.count_pairs(at, on_diagonal);
      } else if (count == 1) {
        rows.count_below<1>(at, first, pairs);
      } else if (count == 2) {
        rows.count_below<2>(at, first, pairs);
      } else {
        rows.count_below<3>(at, first, pairs);
      }
    }
    // [each-tile]
  }
  __syncthreads();  // all have counted
  for (int k = threadIdx.x; k < bins; k += kThreads) {
    const unsigned* const own = &counters[(k + 1) * kLanes];
    unsigned long long count = 0;
    // Each thread begins at another column, so that the threads of a warp meet all 32 banks.
    for (int i = 0; i < kLanes; ++i) count += own[(k + i) % kLanes];
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
  const std::size_t groups = Sets{.n = n, .m = m, .sets = sets}.first_group_of(sets + 1);
  return sizeof(Tables) + groups * (kLanes * (sizeof(float4) + sizeof(Position)) + sizeof(Cone));
}

void tpacf(const double* data, const double* randoms, int n, int m, int sets, double first, int per_decade,
           int bins, unsigned long long* counts, double* correlation, void* workspace, cudaStream_t stream) {
  Sets all{.n = n, .m = m, .sets = sets};
  const int groups = all.first_group_of(sets + 1);
  all.quick = static_cast<float4*>(workspace);
  all.cones = reinterpret_cast<Cone*>(all.quick + std::size_t{1} * groups * kLanes);
  Tables* const tables = reinterpret_cast<Tables*>(all.cones + groups);
  all.positions = reinterpret_cast<Position*>(tables + 1);
  CHECK_CUDA(cudaMemsetAsync(counts, 0, 3 * bins * sizeof *counts, stream));
  tables_kernel<<<1, kCells, 0, stream>>>(first, per_decade, bins, tables);
  CHECK_CUDA(cudaGetLastError());
  if (groups > 0) {
    sort_kernel<<<1 + sets, kSortThreads, 0, stream>>>(data, randoms, all);
    CHECK_CUDA(cudaGetLastError());
    cones_kernel<<<lockstep::divide_up(groups, kWarps), kThreads, 0, stream>>>(all, groups);
    CHECK_CUDA(cudaGetLastError());
    const int most_groups = groups_of(n > m ? n : m);
    const int blocks_of_pair = lockstep::divide_up(most_groups, kWarps);
    const dim3 blocks((1 + 2 * sets) * blocks_of_pair,
                      min(kMostParts, lockstep::divide_up(most_groups, kLanes)));
    const std::size_t shared_bytes = (bins + 3) * kLanes * sizeof(unsigned);
    pairs_kernel<<<blocks, kThreads, shared_bytes, stream>>>(all, blocks_of_pair, tables, bins, counts);
    CHECK_CUDA(cudaGetLastError());
  }
  correlation_kernel<<<1, kMostBins, 0, stream>>>(counts, n, m, sets, bins, correlation);
  CHECK_CUDA(cudaGetLastError());
}
