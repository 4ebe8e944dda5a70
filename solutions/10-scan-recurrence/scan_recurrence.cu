// Recurrence in two passes over the input, the reference: compose the maps of each tile, find the value that
// comes into each tile, scan every tile from there. Lecture: 10-scan.
// Bound: memory bandwidth at 20 bytes per element: a and b are read twice, x is written once.
#include "scan_recurrence.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kEach = 4;  // elements of a thread: neighbours, a vector of 16 bytes
constexpr int kTile = kThreads * kEach;

/// The step from x to a * x + b, or several one after the other. Aligned: both words move in one request.
struct alignas(8) Map {
  std::uint32_t a, b;
};

__device__ Map identity() { return {1, 0}; }
__device__ std::uint32_t apply(Map map, std::uint32_t x) { return map.a * x + map.b; }
/// The map that does what `earlier` does and then what `later` does. The order matters.
__device__ Map composed(Map earlier, Map later) { return {earlier.a * later.a, apply(later, earlier.b)}; }

__device__ Map map_of_lane_before(Map map, int offset) {
  return {__shfl_up_sync(kAllLanes, map.a, offset), __shfl_up_sync(kAllLanes, map.b, offset)};
}

__device__ Map warp_inclusive_scan(Map map) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const Map earlier = map_of_lane_before(map, offset);
    if (lane >= offset) map = composed(earlier, map);
  }
  return map;
}

/// The maps of the threads before this one, composed; `all` becomes those of the whole block.
__device__ Map block_exclusive_scan(Map map, Map& all) {
  __shared__ Map warp_maps[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const Map inclusive = warp_inclusive_scan(map);
  if (lane == kLanes - 1) warp_maps[warp] = inclusive;
  __syncthreads();  // the maps of all warps
  Map before_warp = identity();
  all = identity();
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before_warp = all;
    all = composed(all, warp_maps[w]);
  }
  __syncthreads();  // all have read them; the next call may write them
  const Map before_lane = map_of_lane_before(inclusive, 1);
  return lane == 0 ? before_warp : composed(before_warp, before_lane);
}

/// Loads the maps of neighbouring elements and composes them in their order. Beyond the end of the array
/// stand maps that change nothing. Unsigned: `start + kEach` may exceed the largest int.
__device__ Map load_maps(const std::uint32_t* a, const std::uint32_t* b, unsigned start, unsigned n,
                         Map (&maps)[kEach]) {
  if (start + kEach <= n) {
    const uint4 factors = *reinterpret_cast<const uint4*>(a + start);
    const uint4 added = *reinterpret_cast<const uint4*>(b + start);
    maps[0] = {factors.x, added.x};
    maps[1] = {factors.y, added.y};
    maps[2] = {factors.z, added.z};
    maps[3] = {factors.w, added.w};
  } else {
    for (int k = 0; k < kEach; ++k) maps[k] = start + k < n ? Map{a[start + k], b[start + k]} : identity();
  }
  Map all = maps[0];
  for (int k = 1; k < kEach; ++k) all = composed(all, maps[k]);
  return all;
}

__global__ void compose_tiles_kernel(const std::uint32_t* a, const std::uint32_t* b, int n, Map* tile_maps) {
  Map maps[kEach], all;
  block_exclusive_scan(load_maps(a, b, blockIdx.x * kTile + threadIdx.x * kEach, n, maps), all);
  if (threadIdx.x == 0) tile_maps[blockIdx.x] = all;
}

/// One block goes over the maps of all tiles and leaves the value that stands before each.
__global__ void pass_on_kernel(const Map* tile_maps, int tiles, std::uint32_t first,
                               std::uint32_t* incoming) {
  std::uint32_t value = first;  // before the tiles of this turn
  for (int turn = 0; turn < tiles; turn += kThreads) {
    const int tile = turn + threadIdx.x;
    Map all;
    const Map before = block_exclusive_scan(tile < tiles ? tile_maps[tile] : identity(), all);
    if (tile < tiles) incoming[tile] = apply(before, value);
    value = apply(all, value);
  }
}

__global__ void scan_tiles_kernel(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* x, int n,
                                  const std::uint32_t* incoming) {
  const unsigned start = blockIdx.x * kTile + threadIdx.x * kEach, end = n;
  Map maps[kEach], all;
  const Map before = block_exclusive_scan(load_maps(a, b, start, end, maps), all);
  std::uint32_t value = apply(before, incoming[blockIdx.x]);
  std::uint32_t values[kEach];
  for (int k = 0; k < kEach; ++k) values[k] = value = apply(maps[k], value);
  if (start + kEach <= end) {
    *reinterpret_cast<uint4*>(x + start) = make_uint4(values[0], values[1], values[2], values[3]);
  } else {
    for (int k = 0; k < kEach; ++k)
      if (start + k < end) x[start + k] = values[k];
  }
}

std::size_t scan_recurrence_workspace_bytes(int n) {
  return lockstep::divide_up(n, kTile) * (sizeof(Map) + sizeof(std::uint32_t));
}

void scan_recurrence(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t first, std::uint32_t* x,
                     int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  Map* const tile_maps = static_cast<Map*>(workspace);
  auto* const incoming = reinterpret_cast<std::uint32_t*>(tile_maps + tiles);
  compose_tiles_kernel<<<tiles, kThreads, 0, stream>>>(a, b, n, tile_maps);
  CHECK_CUDA(cudaGetLastError());
  pass_on_kernel<<<1, kThreads, 0, stream>>>(tile_maps, tiles, first, incoming);
  CHECK_CUDA(cudaGetLastError());
  scan_tiles_kernel<<<tiles, kThreads, 0, stream>>>(a, b, x, n, incoming);
  CHECK_CUDA(cudaGetLastError());
}
