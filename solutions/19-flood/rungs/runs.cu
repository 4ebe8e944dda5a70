// Flood by runs of wet cells, joined within tiles in shared memory, then at the borders of tiles. Lecture:
// 19-flood.
// Bound: 13 bytes a cell, of which 8 are its parent, written and read; and the instructions of a thread for
// each cell, where one of a run has something to join.
#include "flood.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kColumns = 32, kRows = 16;  // of a tile, which has a thread for each cell
constexpr unsigned kAllLanes = 0xffffffff;
enum Side { kTop, kLeft, kRight };
constexpr unsigned kSource = 0;        // node that all sources are joined to; cell c is node c + 1
constexpr unsigned kDry = 0xffffffff;  // in place of a parent

/// Others join trees meanwhile, so a parent is read anew each time. Every second node on the way is hung
/// higher.
__device__ unsigned root_of(volatile unsigned* parents, unsigned node) {
  while (true) {
    const unsigned parent = parents[node], next = parents[parent];
    if (parent == next) return parent;
    parents[node] = next;
    node = next;
  }
}

/// The larger root is hung below the smaller, so no circle can close; and only while it is a root.
__device__ void join(unsigned* parents, unsigned a, unsigned b) {
  while (true) {
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a == b) return;
    const unsigned high = max(a, b), low = min(a, b);
    if (atomicCAS(&parents[high], high, low) == high) return;
  }
}

// [run-of-a-cell]
/// A one where each run of ones begins.
__device__ unsigned starts_of(unsigned word) { return word & ~(word << 1); }
/// The first cell of the run that holds cell x of a row: the last start up to x.
__device__ int run_of(unsigned word, int x) {
  return kColumns - 1 - __clz(starts_of(word) & kAllLanes >> (kColumns - 1 - x));
}
// [run-of-a-cell]

/// The forest of all cells, in global memory.
struct Map {
  unsigned* parents;
  int rows, columns;

  __device__ unsigned node(int row, int column) const { return unsigned(row) * columns + column + 1; }
  __device__ bool is_wet(int row, int column) const {
    return row >= 0 && column >= 0 && column < columns && parents[node(row, column)] != kDry;
  }
};

__global__ void __launch_bounds__(kColumns* kRows)
    tile_kernel(const float* heights, Map map, float level, bool eight) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kColumns + x, row = blockIdx.y * kRows + y;
  __shared__ unsigned parents[kRows * kColumns];
  __shared__ unsigned words[kRows];  // a bit for each cell of a row
  const bool inside = row < map.rows && column < map.columns;
  const bool is_wet = inside && heights[std::size_t(row) * map.columns + column] < level;
  // [row-words]
  const unsigned word = __ballot_sync(kAllLanes, is_wet);
  if (x == 0) words[y] = word;
  parents[y * kColumns + x] = y * kColumns + x;
  __syncthreads();  // all rows are there, and a root for each run
  // [row-words]
  // [join-runs]
  const auto join_up = [&](unsigned meets, int other_x) {
    if ((meets >> x & 1) != 0)
      join(parents, y * kColumns + run_of(word, x), (y - 1) * kColumns + run_of(words[y - 1], other_x));
  };
  const unsigned above = y > 0 ? words[y - 1] : 0;
  join_up(starts_of(word & above), x);  // once where two runs meet
  if (eight) {                          // a corner joins only where neither cell between is wet
    join_up(word & ~above & above << 1 & ~(word << 1), x - 1);
    join_up(word & ~above & above >> 1 & ~(word >> 1), x + 1);
  }
  __syncthreads();  // all runs in the tile are joined
  // [join-runs]
  if (!inside) return;
  const unsigned root = !is_wet ? 0 : root_of(parents, y * kColumns + run_of(word, x));
  const int root_row = blockIdx.y * kRows + root / kColumns,
            root_column = blockIdx.x * kColumns + root % kColumns;
  map.parents[map.node(row, column)] = is_wet ? map.node(root_row, root_column) : kDry;
  if (row == 0 && column == 0) map.parents[kSource] = kSource;
}

/// What the tiles left out: neighbours on either side of a border between tiles. Of the two warps of a block
/// one has the top row of a tile, the other its first and its last column.
__global__ void seams_kernel(Map map, bool eight) {
  const Side side = threadIdx.y == 0 ? kTop : threadIdx.x < kRows ? kLeft : kRight;
  const int x = side == kTop ? threadIdx.x : side == kLeft ? 0 : kColumns - 1;
  const int y = side == kTop ? 0 : threadIdx.x % kRows;
  const int column = blockIdx.x * kColumns + x, row = blockIdx.y * kRows + y;
  if (row >= map.rows || column >= map.columns || !map.is_wet(row, column)) return;
  const auto join_to = [&](int other_row, int other_column) {
    if (map.is_wet(other_row, other_column))
      join(map.parents, map.node(row, column), map.node(other_row, other_column));
  };
  // [seams-of-runs]
  const auto both_wet = [&](int y0, int x0, int y1, int x1) {
    return map.is_wet(y0, x0) && map.is_wet(y1, x1);
  };
  const bool joined_before = x > 0 && both_wet(row, column - 1, row - 1, column - 1);
  const bool joined_above = both_wet(row - 1, column, row - 1, column - 1);
  if (side == kTop && !joined_before) join_to(row - 1, column);
  if (side == kLeft && !joined_above) join_to(row, column - 1);
  // [seams-of-runs]
  if (eight && side != kRight) join_to(row - 1, column - 1);
  if (eight && side != kLeft) join_to(row - 1, column + 1);
}

__global__ void join_sources_kernel(Map map, const int* sources, int source_count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < source_count && map.parents[sources[i] + 1] != kDry) join(map.parents, kSource, sources[i] + 1);
}

__global__ void mask_kernel(Map map, unsigned char* mask) {
  const int column = blockIdx.x * kColumns + threadIdx.x, row = blockIdx.y * kRows + threadIdx.y;
  if (row >= map.rows || column >= map.columns) return;
  const bool is_wet = map.is_wet(row, column);
  unsigned node = map.node(row, column);
  while (is_wet && map.parents[node] != node) node = map.parents[node];  // nobody joins any more
  mask[std::size_t(row) * map.columns + column] = is_wet && node == kSource;
}

std::size_t flood_workspace_bytes(int rows, int columns) {
  return (std::size_t(rows) * columns + 1) * sizeof(unsigned);
}

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const Map map{static_cast<unsigned*>(workspace), rows, columns};
  const bool eight = neighbourhood == 8;
  const dim3 tiles(lockstep::divide_up(columns, kColumns), lockstep::divide_up(rows, kRows));
  const dim3 cells(kColumns, kRows);
  tile_kernel<<<tiles, cells, 0, stream>>>(heights, map, level, eight);
  CHECK_CUDA(cudaGetLastError());
  seams_kernel<<<tiles, dim3(kColumns, 2), 0, stream>>>(map, eight);
  CHECK_CUDA(cudaGetLastError());
  if (source_count > 0) {
    const int source_blocks = lockstep::divide_up(source_count, kThreads);
    join_sources_kernel<<<source_blocks, kThreads, 0, stream>>>(map, sources, source_count);
    CHECK_CUDA(cudaGetLastError());
  }
  mask_kernel<<<tiles, cells, 0, stream>>>(map, mask);
  CHECK_CUDA(cudaGetLastError());
}
