// Flood by components of tiles in shared memory, joined at the borders of tiles. Lecture: 19-flood.
// Bound: instructions, as each wet cell is joined to each neighbour; and 13 bytes a cell, of which 8 are its
// parent, written and read.
#include "flood.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kColumns = 32, kRows = 16;  // of a tile, which has a thread for each cell
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
  // [join-in-tile]
  __shared__ unsigned parents[kRows * kColumns];
  __shared__ bool wet[kRows + 1][kColumns + 2];  // and dry cells above, left and right of the tile
  const unsigned own = y * kColumns + x;
  const bool inside = row < map.rows && column < map.columns;
  const bool is_wet = inside && heights[std::size_t(row) * map.columns + column] < level;
  parents[own] = own;
  wet[y + 1][x + 1] = is_wet;
  if (y == 0) wet[0][x + 1] = false;
  if (x < 2) wet[y + 1][x * (kColumns + 1)] = wet[0][x * (kColumns + 1)] = false;
  __syncthreads();  // all cells are there, each a root
  if (is_wet) {
    if (wet[y + 1][x]) join(parents, own, own - 1);
    if (wet[y][x + 1]) join(parents, own, own - kColumns);
    if (eight && wet[y][x]) join(parents, own, own - kColumns - 1);
    if (eight && wet[y][x + 2]) join(parents, own, own - kColumns + 1);
  }
  __syncthreads();  // all neighbours in the tile are joined
  // [join-in-tile]
  if (!inside) return;
  // [tile-to-map]
  const unsigned root = root_of(parents, own);
  const int root_row = blockIdx.y * kRows + root / kColumns,
            root_column = blockIdx.x * kColumns + root % kColumns;
  map.parents[map.node(row, column)] = is_wet ? map.node(root_row, root_column) : kDry;
  if (row == 0 && column == 0) map.parents[kSource] = kSource;
  // [tile-to-map]
}

/// What the tiles left out: neighbours on either side of a border between tiles. Of the two warps of a block
/// one has the top row of a tile, the other its first and its last column.
__global__ void seams_kernel(Map map, bool eight) {
  // [seams-of-cells]
  const Side side = threadIdx.y == 0 ? kTop : threadIdx.x < kRows ? kLeft : kRight;
  const int x = side == kTop ? threadIdx.x : side == kLeft ? 0 : kColumns - 1;
  const int y = side == kTop ? 0 : threadIdx.x % kRows;
  const int column = blockIdx.x * kColumns + x, row = blockIdx.y * kRows + y;
  if (row >= map.rows || column >= map.columns || !map.is_wet(row, column)) return;
  const auto join_to = [&](int other_row, int other_column) {
    if (map.is_wet(other_row, other_column))
      join(map.parents, map.node(row, column), map.node(other_row, other_column));
  };
  if (side == kTop) join_to(row - 1, column);
  if (side == kLeft) join_to(row, column - 1);
  if (eight && side != kRight) join_to(row - 1, column - 1);
  if (eight && side != kLeft) join_to(row - 1, column + 1);
  // [seams-of-cells]
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
