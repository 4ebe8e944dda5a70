// fails: bytes-per-element
// at: if (i < n) x[i] = products[i] * incoming[blockIdx.x] + x[i];
// Recurrence in three passes: scan the maps of each tile, find the value that comes into each tile, apply the
// stored maps to it. Lecture: 10-scan.
// Bound: memory bandwidth at 28 bytes per element: all prefixes of maps are written, and read again.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan_recurrence.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 1024;  // elements, and threads of a block
constexpr int kWarps = kTile / kLanes;

/// The step from x to a * x + b, or several such steps one after the other. Aligned, so that a lane loads or
/// stores both words in one request.
struct alignas(8) Map {
  std::uint32_t a, b;
};

__device__ Map identity() { return {1, 0}; }
__device__ std::uint32_t apply(Map map, std::uint32_t x) { return map.a * x + map.b; }
__device__ Map composed(Map earlier, Map later) { return {earlier.a * later.a, apply(later, earlier.b)}; }

__device__ Map map_of_lane(Map map, int lane) {
  return {__shfl_sync(kAllLanes, map.a, lane), __shfl_sync(kAllLanes, map.b, lane)};
}

__device__ Map warp_inclusive_scan(Map map) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const Map earlier = map_of_lane(map, lane - offset);
    if (lane >= offset) map = composed(earlier, map);
  }
  return map;
}

/// The maps of the threads up to this one, composed; `all` becomes those of the whole block.
__device__ Map block_inclusive_scan(Map map, Map& all) {
  __shared__ Map warp_maps[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const Map inclusive = warp_inclusive_scan(map);
  if (lane == kLanes - 1) warp_maps[warp] = inclusive;
  __syncthreads();  // as many maps as lanes: every warp scans them for itself
  const Map up_to_warp = warp_inclusive_scan(warp_maps[lane]);
  __syncthreads();  // all have read them; the next call may write them
  const Map before_warp = map_of_lane(up_to_warp, warp - 1);
  all = map_of_lane(up_to_warp, kWarps - 1);
  return warp == 0 ? inclusive : composed(before_warp, inclusive);
}

/// Leaves the factors of the prefixes in `products`, and what they add in `x`.
__global__ void scan_tiles_kernel(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* products,
                                  std::uint32_t* x, int n, Map* tile_maps) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  Map all;
  const Map prefix = block_inclusive_scan(i < n ? Map{a[i], b[i]} : identity(), all);
  if (i < n) products[i] = prefix.a;
  if (i < n) x[i] = prefix.b;
  if (threadIdx.x == 0) tile_maps[blockIdx.x] = all;
}

__global__ void pass_on_kernel(const Map* tile_maps, int tiles, std::uint32_t first,
                               std::uint32_t* incoming) {
  std::uint32_t value = first;  // before the tiles of this turn
  if (threadIdx.x == 0) incoming[0] = first;
  for (int turn = 0; turn < tiles; turn += kTile) {
    const int tile = turn + threadIdx.x;
    Map all;
    const Map prefix = block_inclusive_scan(tile < tiles ? tile_maps[tile] : identity(), all);
    if (tile + 1 < tiles) incoming[tile + 1] = apply(prefix, value);
    value = apply(all, value);
  }
}

__global__ void apply_kernel(const std::uint32_t* products, std::uint32_t* x, int n,
                             const std::uint32_t* incoming) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  if (i < n) x[i] = products[i] * incoming[blockIdx.x] + x[i];
}

std::size_t scan_recurrence_workspace_bytes(int n) {
  const std::size_t tiles = lockstep::divide_up(n, kTile);
  return (lockstep::divide_up(n, 2) + tiles) * sizeof(Map) + tiles * sizeof(std::uint32_t);
}

void scan_recurrence(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t first, std::uint32_t* x,
                     int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  // First in the workspace, so that warps begin at whole sectors; then at a multiple of 8 bytes the maps.
  auto* const products = static_cast<std::uint32_t*>(workspace);
  Map* const tile_maps = static_cast<Map*>(workspace) + lockstep::divide_up(n, 2);
  auto* const incoming = reinterpret_cast<std::uint32_t*>(tile_maps + tiles);
  scan_tiles_kernel<<<tiles, kTile, 0, stream>>>(a, b, products, x, n, tile_maps);
  CHECK_CUDA(cudaGetLastError());
  pass_on_kernel<<<1, kTile, 0, stream>>>(tile_maps, tiles, first, incoming);
  CHECK_CUDA(cudaGetLastError());
  apply_kernel<<<tiles, kTile, 0, stream>>>(products, x, n, incoming);
  CHECK_CUDA(cudaGetLastError());
}
