// Pair counts by tiles of neighbours, with the edges that a tile meets kept in registers, the reference.
// Lecture: 18-tpacf.
// Bound: issue, at 5.7 instructions a pair in tiles that meet one edge; a tile that meets none takes none.
#include "tpacf.h"

#include <math_constants.h>

#include <cstdint>

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;  // and points of a group
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kWarps = 16;  // of a block; they share tables and counters
constexpr int kMostEdges = kMostBins + 1;
constexpr double kUnit = 0x1p-24;  // of rounding to float

/// A right position of a point, and a quick one.
struct Position {
  double x, y, z;
};

// --- tables ---

constexpr int kCellShift = 21;  // the exponent and two bits of mantissa are left of a float's bits
constexpr int kCells = 1 << (31 - kCellShift);
constexpr float kWide = 0.18F;                         // radians; from there on products tell enough in float
constexpr int kMostAtOnce = 4;                         // edges
constexpr int kTableEdges = kMostEdges + kMostAtOnce;  // those behind the last are beyond all pairs

/// What is known of the edges; a copy lies in each block's shared memory.
struct Tables {
  double edges[kTableEdges];  // squares of chords
  float angles[kTableEdges];  // radians, to find the edges that a tile meets
  float products[kTableEdges];
  float2 chords[kTableEdges];
  uint2 cells[kCells];
};

// [errors]
/// By how much a square of a chord near `edge` may be wrong in float: each position is off by kUnit, so is
/// the chord by twice that; difference and sum of squares round five times; and the edge itself is rounded.
__device__ double error_of_chord(double edge) {
  return 1.05 * (kUnit * (4 * sqrt(edge) + 7 * edge) + 8 * kUnit * kUnit);
}
/// The same of 2 − 2 a·b, which is at most 4 on its way: 14 units, whatever it is.
constexpr double kErrorOfProduct = 16 * kUnit;
// [errors]

/// 1 / (4 error), or the power of two below it: an uncertain square becomes a number from 1/4 to 3/4.
__device__ double scale_for(double error) { return exp2(floor(log2(0.25 / error))); }
constexpr double kProductScale = 0.25 / kErrorOfProduct;

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
    const double edge = k <= bins ? 4 * half_chord * half_chord : 5;
    const double scale = scale_for(error_of_chord(edge));
    edges[k] = tables->edges[k] = edge;
    tables->angles[k] = static_cast<float>(angle * (CUDART_PI / 180));
    tables->products[k] = static_cast<float>(kProductScale * (edge - 2) + 0.5);
    tables->chords[k] = make_float2(static_cast<float>(-scale), static_cast<float>(scale * edge + 0.5));
  }
  __syncthreads();  // all edges are there
  const unsigned begin = static_cast<unsigned>(k) << kCellShift;
  tables->cells[k] = cell_of(begin, begin + (1U << kCellShift), edges, bins);
}

// --- points in an order in which neighbours are close ---

constexpr int kSortThreads = 1024;
constexpr int kPlacesOfThread = 11;
constexpr int kPlaces = kPlacesOfThread * kSortThreads;  // counters of 4 bytes that 48 KiB have room for

/// A set's points are followed by others, which are not numbers, up to a whole group.
__host__ __device__ int padded(int points) { return (points + kLanes - 1) / kLanes * kLanes; }

struct Group {
  float x, y, z;  // the direction of its middle
  float radius;   // the angle within which all its points lie
};

/// All sets, the data first. Set s begins at begin_of(s).
struct Sets {
  const double *data, *randoms;
  int n, m, sets;
  Position* unsorted;
  int2* places;  // of unsorted points: which place, and which of those there
  Position* positions;
  float4* quick;
  Group* groups;

  __host__ __device__ int points_of(int set) const { return set == 0 ? n : m; }
  __host__ __device__ std::size_t begin_of(int set) const {
    return set == 0 ? 0 : padded(n) + std::size_t{1} * (set - 1) * padded(m);
  }
  __device__ const double* input_of(int set) const {
    return set == 0 ? data : randoms + std::size_t{2} * (set - 1) * m;
  }
};

__device__ Position position_of(double alpha, double delta) {
  double sin_alpha, cos_alpha, sin_delta, cos_delta;
  sincospi(alpha / 180, &sin_alpha, &cos_alpha);
  sincospi(delta / 180, &sin_delta, &cos_delta);
  return {cos_delta * cos_alpha, cos_delta * sin_alpha, sin_delta};
}

template <class T, class Combine>
__device__ T warp_combined(T value, Combine combine) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value = combine(value, __shfl_xor_sync(kAllLanes, value, offset));
  return value;
}

/// The least and the greatest declination of a set, for all threads of the block.
__device__ double2 block_range(const double* points, int count) {
  __shared__ double least[kSortThreads / kLanes], greatest[kSortThreads / kLanes];
  double low = 90, high = -90;
  for (int i = threadIdx.x; i < count; i += kSortThreads) {
    low = fmin(low, points[2 * i + 1]);
    high = fmax(high, points[2 * i + 1]);
  }
  const auto minimum = [](double a, double b) { return fmin(a, b); };
  const auto maximum = [](double a, double b) { return fmax(a, b); };
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  low = warp_combined(low, minimum);
  high = warp_combined(high, maximum);
  if (lane == 0) {
    least[warp] = low;
    greatest[warp] = high;
  }
  __syncthreads();  // all warps have left theirs
  return make_double2(warp_combined(least[lane], minimum), warp_combined(greatest[lane], maximum));
}

/// Makes each counter the sum of those before it.
__device__ void block_scan(int* counters) {
  __shared__ int totals[kSortThreads / kLanes];
  int* const own = counters + threadIdx.x * kPlacesOfThread;
  int sum = 0;
  for (int i = 0; i < kPlacesOfThread; ++i) sum += own[i];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, total = sum;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const int before = __shfl_up_sync(kAllLanes, sum, offset);
    sum += lane >= offset ? before : 0;
  }
  if (lane == kLanes - 1) totals[warp] = sum;
  __syncthreads();  // all warps have left theirs
  for (int i = 0; i < warp; ++i) sum += totals[i];
  sum -= total;
  for (int i = 0; i < kPlacesOfThread; ++i) {
    const int count = own[i];
    own[i] = sum;
    sum += count;
  }
  __syncthreads();  // all counters are done
}

__device__ double dot(Position a, Position b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// The cone round the points of one group, one a lane.
__device__ Group warp_group(Position point, bool is_one) {
  const auto add = [](double a, double b) { return a + b; };
  Position middle = {warp_combined(is_one ? point.x : 0, add), warp_combined(is_one ? point.y : 0, add),
                     warp_combined(is_one ? point.z : 0, add)};
  const double length = sqrt(dot(middle, middle));
  if (length < 0.01) return {1, 0, 0, 4};  // all round the sphere
  middle = {middle.x / length, middle.y / length, middle.z / length};
  const double sine = norm3d(middle.y * point.z - middle.z * point.y, middle.z * point.x - middle.x * point.z,
                             middle.x * point.y - middle.y * point.x);
  const double angle = is_one ? atan2(sine, dot(middle, point)) : 0;
  const double radius = warp_combined(angle, [](double a, double b) { return fmax(a, b); });
  return {static_cast<float>(middle.x), static_cast<float>(middle.y), static_cast<float>(middle.z),
          static_cast<float>(radius)};
}

/// A block brings the points of one set into an order in which neighbours are close to each other: bands of
/// declination, of which every other runs backwards.
__global__ void __launch_bounds__(kSortThreads) sort_kernel(Sets sets) {
  __shared__ int counters[kPlaces];
  const int set = blockIdx.x, count = sets.points_of(set);
  if (count == 0) return;
  const double* const points = sets.input_of(set);
  const std::size_t begin = sets.begin_of(set);
  for (int i = threadIdx.x; i < kPlaces; i += kSortThreads) counters[i] = 0;
  const double2 range = block_range(points, count);  // its barrier also ends the clearing
  // [bands]
  const int bands = min(kPlaces, static_cast<int>(ceil(sqrt(count / double(kLanes)))));
  const int columns = min(1024, kPlaces / bands);
  const double of_band = range.y > range.x ? bands / (range.y - range.x) : 0;
  for (int i = threadIdx.x; i < count; i += kSortThreads) {
    const double alpha = points[2 * i], delta = points[2 * i + 1];
    const int band = min(bands - 1, static_cast<int>((delta - range.x) * of_band));
    const int column = min(columns - 1, static_cast<int>(alpha / 360 * columns));
    const int place = band * columns + (band % 2 == 0 ? column : columns - 1 - column);
    sets.unsorted[begin + i] = position_of(alpha, delta);
    sets.places[begin + i] = make_int2(place, atomicAdd(&counters[place], 1));
  }
  // [bands]
  __syncthreads();  // all are counted
  block_scan(counters);
  for (int i = threadIdx.x; i < padded(count); i += kSortThreads) {
    Position point = {NAN, NAN, NAN};
    int at = i;
    if (i < count) {
      point = sets.unsorted[begin + i];
      at = counters[sets.places[begin + i].x] + sets.places[begin + i].y;
    }
    sets.positions[begin + at] = point;
    sets.quick[begin + at] =
        make_float4(static_cast<float>(point.x), static_cast<float>(point.y), static_cast<float>(point.z), 0);
  }
  __syncthreads();  // all are in order
  const int lane = threadIdx.x % kLanes;
  for (int i = threadIdx.x; i - lane < count; i += kSortThreads) {
    const Group group = warp_group(sets.positions[begin + i], i < count);
    if (lane == 0) sets.groups[(begin + i) / kLanes] = group;
  }
}

// --- pairs ---

/// What is to be done, cut into items: a group of rows, one a lane, against a chunk of 32 groups of columns.
struct Work {
  int n, m, sets, bins;
  // groups of rows, and chunks
  std::int64_t data_rows, data_chunks, random_rows, random_chunks;

  __host__ __device__ std::int64_t items_of_data() const { return data_rows * data_chunks; }
  __host__ __device__ std::int64_t items_of_both() const { return data_rows * random_chunks; }
  __host__ __device__ std::int64_t items_of_random() const { return random_rows * random_chunks; }
  __host__ __device__ std::int64_t items() const {
    return items_of_data() + sets * (items_of_both() + items_of_random());
  }
};

enum Kind { kDD, kDR, kRR };

struct Item {
  Kind kind;
  int row_set, column_set;
  int rows, chunk;
};

__device__ Item item_of(std::int64_t number, const Work& work) {
  if (number < work.items_of_data())
    return {kDD, 0, 0, int(number / work.data_chunks), int(number % work.data_chunks)};
  number -= work.items_of_data();
  const std::int64_t both = work.sets * work.items_of_both();
  const bool is_both = number < both;
  number -= is_both ? 0 : both;
  const std::int64_t of_set = is_both ? work.items_of_both() : work.items_of_random();
  const int set = 1 + int(number / of_set);
  number %= of_set;
  return {is_both ? kDR : kRR, is_both ? 0 : set, set, int(number / work.random_chunks),
          int(number % work.random_chunks)};
}

/// Of a block: tables, counters, and for each warp the group of columns that it has at hand. A row of 32
/// counters, one a lane, for each kind of pairs and number of edges not above the pair: row 0 and those from
/// bins + 1 on are pairs in no bin.
struct Shared {
  Tables tables;
  float4 columns[kWarps][kLanes];
};
__host__ __device__ int rows_of_counters(int bins) { return bins + 2 + kMostAtOnce; }

/// A warp with its group of rows, and what it needs to count.
struct Counter {
  const Tables& tables;
  unsigned* counters;  // of the kind of pairs, this lane's column
  int bins, lane;
  const Position *row_positions, *column_positions;  // the first of the rows, and of the columns
  const float4* columns;                             // in shared memory

  __device__ void add(int edges_below, unsigned pairs) const {
    atomicAdd(&counters[edges_below * kLanes], pairs);
  }

  __device__ double exact_square(int row, int column) const {
    const Position a = row_positions[row], b = column_positions[column];
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
  }
};

__device__ float fma_saturated(float a, float b, float c) {
  float result;
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
  return result;
}
__device__ float add_saturated(float a, float b) {
  float result;
  asm("add.rn.sat.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

__device__ float square_of_chord(float4 a, float4 b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

/// How many of the kEdges edges from `first` on each pair lies below, as sums over the lane's pairs of
/// numbers that are 0 or 1, or between them if float cannot tell.
template <int kEdges, bool kProducts>
struct Below {
  float sums[kEdges] = {}, squares[kEdges] = {};

  __device__ void count(const Counter& at, float4 row, int first) {
    float2 edges[kEdges];
    for (int k = 0; k < kEdges; ++k)
      edges[k] = kProducts ? make_float2(1, at.tables.products[first + k]) : at.tables.chords[first + k];
    constexpr float kScale = kProducts ? static_cast<float>(2 * kProductScale) : 1;
    const float4 own = make_float4(kScale * row.x, kScale * row.y, kScale * row.z, 0);
#pragma unroll 8
    for (int j = 0; j < kLanes; ++j) add(own, at.columns[j], edges);
  }

  // [below]
  __device__ void add(float4 a, float4 b, const float2 (&edges)[kEdges]) {
    float below[kEdges];
    if constexpr (kProducts && kEdges == 1) {
      below[0] = fma_saturated(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, edges[0].y)));
    } else {
      const float value = kProducts ? fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)) : square_of_chord(a, b);
      for (int k = 0; k < kEdges; ++k)
        below[k] =
            kProducts ? add_saturated(value, edges[k].y) : fma_saturated(value, edges[k].x, edges[k].y);
    }
    for (int k = 0; k < kEdges; ++k) {
      sums[k] += below[k];
      squares[k] = fmaf(below[k], below[k], squares[k]);
    }
  }
  // [below]
};

/// The nearest integer of a number below 2^22.
__device__ unsigned rounded(float value) {
  return __float_as_uint(value + 0x1p23F) - __float_as_uint(0x1p23F);
}

/// Counts a tile whose pairs may lie on either side of kEdges edges from `first` on, and of no other. The row
/// of this lane has `pairs` pairs in it.
template <int kEdges, bool kProducts>
__device__ void count_tile(const Counter& at, float4 row, unsigned pairs, int first) {
  Below<kEdges, kProducts> below;
  below.count(at, row, first);
  // [uncertain]
  bool is_uncertain = false;
  unsigned counts[kEdges];
  for (int k = 0; k < kEdges; ++k) {
    is_uncertain = is_uncertain || below.sums[k] != below.squares[k];
    counts[k] = rounded(below.sums[k]);
  }
  unsigned lanes = __ballot_sync(kAllLanes, is_uncertain);
  for (; lanes != 0; lanes &= lanes - 1) {  // all lanes together do again what one of them had
    const int uncertain = __ffs(lanes) - 1;
    const double square = at.exact_square(uncertain, at.lane);
    for (int k = 0; k < kEdges; ++k) {
      const unsigned again = __popc(__ballot_sync(kAllLanes, square < at.tables.edges[first + k]));
      counts[k] = at.lane == uncertain ? again : counts[k];
    }
  }
  // [uncertain]
  at.add(first, counts[0]);
  for (int k = 1; k < kEdges; ++k) at.add(first + k, counts[k] - counts[k - 1]);
  at.add(first + kEdges, pairs - counts[kEdges - 1]);
}

/// Counts a tile that meets any edges, pair by pair.
template <bool kOnDiagonal>
__device__ void count_pairs(const Counter& at, float4 row) {
#pragma unroll 4
  for (int j = 0; j < kLanes; ++j) {
    if (kOnDiagonal && at.lane >= j) continue;
    const unsigned bits = __float_as_uint(square_of_chord(row, at.columns[j]));
    const uint2 cell = at.tables.cells[bits >> kCellShift];
    const int beyond = static_cast<int>(bits - cell.x);
    int edges_below = static_cast<int>(cell.y & 0xff) + (beyond >= 0 ? 1 : 0);
    if (static_cast<unsigned>(beyond) < cell.y >> 8) {  // float cannot tell
      const double square = at.exact_square(at.lane, j);
      for (edges_below = 0; edges_below <= at.bins && at.tables.edges[edges_below] <= square;) ++edges_below;
    }
    at.add(edges_below, 1);
  }
}

/// The edges that pairs of two groups may lie on either side of.
struct Edges {
  int first, count;
};

/// How many edges are not above an angle.
__device__ int edges_up_to(float angle, const Tables& tables, int bins) {
  int low = 0, high = bins + 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (tables.angles[middle] <= angle) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// [range]
__device__ Edges edges_between(Group a, Group b, const Tables& tables, int bins) {
  constexpr float kMargin = 2e-6F;  // more than what float loses of all that comes together here
  const float sine = norm3df(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  const float angle = atan2f(sine, a.x * b.x + a.y * b.y + a.z * b.z);
  const float reach = a.radius + b.radius + kMargin;
  const int first = edges_up_to(angle - reach, tables, bins);
  return {first, edges_up_to(angle + reach, tables, bins) - first};
}
// [range]

/// What a lane found of its group of columns, in a word for the others.
struct Tile {
  Edges edges;
  bool is_wide;  // all of its edges

  __device__ unsigned packed() const { return edges.count << 9 | edges.first << 1 | is_wide; }
  static __device__ Tile unpacked(unsigned word) {
    return {{static_cast<int>(word >> 1 & 0xff), static_cast<int>(word >> 9)}, (word & 1) != 0};
  }
};

template <bool kProducts>
__device__ void count_tile(const Counter& at, float4 row, unsigned pairs, Edges edges) {
  if (edges.count <= 1) {
    count_tile<1, kProducts>(at, row, pairs, edges.first);
  } else if (edges.count == 2) {
    count_tile<2, kProducts>(at, row, pairs, edges.first);
  } else {
    count_tile<kMostAtOnce, kProducts>(at, row, pairs, edges.first);
  }
}

/// How many of a set's points are in one of its groups.
__device__ unsigned points_in(int group, int points) { return min(points - group * kLanes, kLanes); }

/// Counts one item: its lanes look at one group of columns each, to see which edges lie between it and the
/// rows. Then all of them count the groups that meet an edge, one after the other.
__device__ void count_item(const Item& item, const Work& work, const Sets& sets, Shared& shared,
                           unsigned* counters) {
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int row_points = sets.points_of(item.row_set), column_points = sets.points_of(item.column_set);
  const std::size_t row_begin = sets.begin_of(item.row_set), column_begin = sets.begin_of(item.column_set);
  const int row_group = item.rows, own_group = item.chunk * kLanes + lane;  // one of rows, one of columns
  const bool is_one_set = item.kind != kDR;
  if (is_one_set && (item.chunk + 1) * kLanes <= row_group) return;  // the same pairs as above the diagonal
  counters += item.kind * rows_of_counters(work.bins) * kLanes + lane;
  const bool is_there = own_group * kLanes < column_points && !(is_one_set && own_group < row_group);
  const bool on_diagonal = is_one_set && own_group == row_group;
  Tile own_tile{};
  if (is_there) {
    own_tile.edges = edges_between(sets.groups[row_begin / kLanes + row_group],
                                   sets.groups[column_begin / kLanes + own_group], shared.tables, work.bins);
    own_tile.is_wide = shared.tables.angles[own_tile.edges.first] >= kWide;
    if (own_tile.edges.count == 0 && !on_diagonal) {
      atomicAdd(&counters[own_tile.edges.first * kLanes],
                points_in(row_group, row_points) * points_in(own_group, column_points));
    }
  }
  unsigned tiles = __ballot_sync(kAllLanes, is_there && (own_tile.edges.count != 0 || on_diagonal));
  if (tiles == 0) return;
  const std::size_t row_place = row_begin + std::size_t{1} * row_group * kLanes;
  const float4 row = sets.quick[row_place + lane];
  const bool is_row = row_group * kLanes + lane < row_points;
  for (; tiles != 0; tiles &= tiles - 1) {
    const int number = __ffs(tiles) - 1, group = item.chunk * kLanes + number;
    const std::size_t column = column_begin + std::size_t{1} * group * kLanes;
    const Tile tile = Tile::unpacked(__shfl_sync(kAllLanes, own_tile.packed(), number));
    __syncwarp();  // all lanes are done with the columns before
    shared.columns[warp][lane] = sets.quick[column + lane];
    __syncwarp();
    const Counter at{
        shared.tables,       counters, work.bins, lane, sets.positions + row_place, sets.positions + column,
        shared.columns[warp]};
    const unsigned pairs = is_row ? points_in(group, column_points) : 0;
    if (is_one_set && group == row_group) {
      count_pairs<true>(at, row);
    } else if (tile.edges.count > kMostAtOnce) {
      count_pairs<false>(at, row);
    } else if (tile.is_wide) {
      count_tile<true>(at, row, pairs, tile.edges);
    } else {
      count_tile<false>(at, row, pairs, tile.edges);
    }
  }
}

/// Warps fetch item after item, as long as there are any, up to `end`.
__global__ void __launch_bounds__(kWarps* kLanes, 3)
    pairs_kernel(Work work, Sets sets, const Tables* tables, std::int64_t begin, std::int64_t end,
                 unsigned* next, unsigned long long* counts) {
  __shared__ Shared shared;
  extern __shared__ unsigned counters[];
  const int rows = rows_of_counters(work.bins);
  for (int i = threadIdx.x; i < 3 * rows * kLanes; i += kWarps * kLanes) counters[i] = 0;
  static_assert(sizeof(Tables) % sizeof(int) == 0);
  for (int i = threadIdx.x; i < int(sizeof(Tables) / sizeof(int)); i += kWarps * kLanes)
    reinterpret_cast<int*>(&shared.tables)[i] = reinterpret_cast<const int*>(tables)[i];
  __syncthreads();  // tables are there, counters are clear
  // [fetch]
  const int lane = threadIdx.x % kLanes;
  for (;;) {
    const unsigned fetched = lane == 0 ? atomicAdd(next, 1) : 0;
    const std::int64_t number = begin + __shfl_sync(kAllLanes, fetched, 0);
    if (number >= end) break;
    count_item(item_of(number, work), work, sets, shared, counters);
  }
  // [fetch]
  __syncthreads();  // all have counted
  for (int i = threadIdx.x; i < 3 * work.bins; i += kWarps * kLanes) {
    const int kind = i / work.bins, bin = i % work.bins;
    const unsigned* const row = &counters[(kind * rows + bin + 1) * kLanes];
    unsigned long long count = 0;
    // Each thread begins at another column, so that the threads of a warp meet all 32 banks.
    for (int k = 0; k < kLanes; ++k) count += row[(i + k) % kLanes];
    if (count != 0) atomicAdd(&counts[i], count);
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

// --- the call ---

/// Hands out parts of the workspace, each at a multiple of 256 bytes.
class Parts {
 public:
  explicit Parts(void* workspace) : workspace_(static_cast<char*>(workspace)) {}
  template <class T>
  T* next(std::size_t count) {
    T* const part = reinterpret_cast<T*>(workspace_ + used_);
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return part;
  }
  std::size_t used() const { return used_; }

 private:
  char* workspace_;
  std::size_t used_ = 0;
};

struct Workspace {
  Sets sets;
  Tables* tables;
  unsigned* next;
  std::size_t bytes;
};

Workspace laid_out(void* workspace, int n, int m, int sets) {
  Parts parts(workspace);
  Workspace made{};
  made.sets = {.n = n, .m = m, .sets = sets};
  const std::size_t points = made.sets.begin_of(sets + 1);
  made.tables = parts.next<Tables>(1);
  made.next = parts.next<unsigned>(1);
  made.sets.unsorted = parts.next<Position>(points);
  made.sets.places = parts.next<int2>(points);
  made.sets.positions = parts.next<Position>(points);
  made.sets.quick = parts.next<float4>(points);
  made.sets.groups = parts.next<Group>(points / kLanes);
  made.bytes = parts.used();
  return made;
}

std::size_t tpacf_workspace_bytes(int n, int m, int sets, int) { return laid_out(nullptr, n, m, sets).bytes; }

int warps_at_once(std::size_t shared_bytes) {
  int device, multiprocessors, blocks;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CHECK_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pairs_kernel, kWarps * kLanes, shared_bytes));
  return multiprocessors * blocks * kWarps;
}

void tpacf(const double* data, const double* randoms, int n, int m, int sets, double first, int per_decade,
           int bins, unsigned long long* counts, double* correlation, void* workspace, cudaStream_t stream) {
  Workspace at = laid_out(workspace, n, m, sets);
  at.sets.data = data;
  at.sets.randoms = randoms;
  CHECK_CUDA(cudaMemsetAsync(counts, 0, 3 * bins * sizeof *counts, stream));
  tables_kernel<<<1, kCells, 0, stream>>>(first, per_decade, bins, at.tables);
  CHECK_CUDA(cudaGetLastError());
  sort_kernel<<<1 + sets, kSortThreads, 0, stream>>>(at.sets);
  CHECK_CUDA(cudaGetLastError());
  const auto rows = [](int points) { return padded(points) / kLanes; };
  const auto chunks = [](int points) { return (padded(points) + kLanes * kLanes - 1) / (kLanes * kLanes); };
  const Work work{n, m, sets, bins, rows(n), chunks(n), rows(m), chunks(m)};
  const std::size_t shared_bytes = 3 * rows_of_counters(bins) * kLanes * sizeof(unsigned);
  const std::int64_t warps = warps_at_once(shared_bytes);
  // A lane's counter gets less than 4096 from one item: so many items cannot make it overflow.
  constexpr std::int64_t kMostItems = 1 << 20;
  for (std::int64_t begin = 0; begin < work.items(); begin += kMostItems) {
    const std::int64_t end = min(begin + kMostItems, work.items());
    const auto blocks = static_cast<unsigned>((min(warps, end - begin) - 1) / kWarps + 1);
    CHECK_CUDA(cudaMemsetAsync(at.next, 0, sizeof *at.next, stream));
    pairs_kernel<<<blocks, kWarps * kLanes, shared_bytes, stream>>>(work, at.sets, at.tables, begin, end,
                                                                    at.next, counts);
    CHECK_CUDA(cudaGetLastError());
  }
  correlation_kernel<<<1, kMostBins, 0, stream>>>(counts, n, m, sets, bins, correlation);
  CHECK_CUDA(cudaGetLastError());
}
