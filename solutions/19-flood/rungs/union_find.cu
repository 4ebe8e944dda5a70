// fails: atomics-per-cell
// at: if (atomicCAS(&parents[high], high, low) == high) return;
// Flood by joining all wet neighbours to trees, wherever the source is. Lecture: 19-flood.
// Bound: random accesses to parents of 4 bytes, which for large maps lie in memory; no map changes the number
// of launches. Each wet cell costs, wherever the water is.
#include "flood.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kColumns = 32, kRows = 8;  // of a block
constexpr unsigned kSource = 0;          // node that all sources are joined to; cell c is node c + 1

/// The map, and the forest of its cells.
struct Map {
  const float* heights;
  unsigned* parents;
  int rows, columns;
  float level;

  __device__ bool is_wet(int row, int column) const {
    if (row < 0 || column < 0 || column >= columns) return false;
    return heights[std::size_t(row) * columns + column] < level;
  }
  __device__ unsigned node(int row, int column) const { return unsigned(row) * columns + column + 1; }
};

// [root]
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
// [root]

// [join]
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
// [join]

__global__ void roots_kernel(unsigned* parents, std::size_t nodes) {
  const std::size_t node = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (node < nodes) parents[node] = node;
}

// [join-cells]
/// Each wet cell is joined to those of its neighbours that come before it.
__global__ void join_kernel(Map map, bool eight) {
  const int column = blockIdx.x * kColumns + threadIdx.x, row = blockIdx.y * kRows + threadIdx.y;
  if (row >= map.rows || !map.is_wet(row, column)) return;
  const unsigned node = map.node(row, column);
  if (map.is_wet(row, column - 1)) join(map.parents, node, map.node(row, column - 1));
  if (map.is_wet(row - 1, column)) join(map.parents, node, map.node(row - 1, column));
  if (!eight) return;
  if (map.is_wet(row - 1, column - 1)) join(map.parents, node, map.node(row - 1, column - 1));
  if (map.is_wet(row - 1, column + 1)) join(map.parents, node, map.node(row - 1, column + 1));
}
// [join-cells]

__global__ void join_sources_kernel(Map map, const int* sources, int source_count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < source_count && map.heights[sources[i]] < map.level) join(map.parents, kSource, sources[i] + 1);
}

// [mask]
__global__ void mask_kernel(Map map, unsigned char* mask) {
  const int column = blockIdx.x * kColumns + threadIdx.x, row = blockIdx.y * kRows + threadIdx.y;
  if (row >= map.rows || column >= map.columns) return;
  const bool water = map.is_wet(row, column) && root_of(map.parents, map.node(row, column)) == kSource;
  mask[std::size_t(row) * map.columns + column] = water;
}
// [mask]

std::size_t flood_workspace_bytes(int rows, int columns) {
  return (std::size_t(rows) * columns + 1) * sizeof(unsigned);
}

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  const std::size_t nodes = std::size_t(rows) * columns + 1;
  if (nodes == 1) return;
  const Map map{heights, static_cast<unsigned*>(workspace), rows, columns, level};
  const auto node_blocks = static_cast<unsigned>((nodes - 1) / kThreads + 1);
  roots_kernel<<<node_blocks, kThreads, 0, stream>>>(map.parents, nodes);
  CHECK_CUDA(cudaGetLastError());
  const dim3 blocks(lockstep::divide_up(columns, kColumns), lockstep::divide_up(rows, kRows));
  join_kernel<<<blocks, dim3(kColumns, kRows), 0, stream>>>(map, neighbourhood == 8);
  CHECK_CUDA(cudaGetLastError());
  if (source_count > 0) {
    const int source_blocks = lockstep::divide_up(source_count, kThreads);
    join_sources_kernel<<<source_blocks, kThreads, 0, stream>>>(map, sources, source_count);
    CHECK_CUDA(cudaGetLastError());
  }
  mask_kernel<<<blocks, dim3(kColumns, kRows), 0, stream>>>(map, mask);
  CHECK_CUDA(cudaGetLastError());
}
