// Recurrence in a single pass: each tile looks back at the tiles before it. Lecture: 10-scan.
// Bound: not the 12 bytes per element but the waiting. A map fills a word of 64 bits, so its flag is
// another word, and needs fences.
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan_recurrence.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / kLanes;
constexpr int kTile = kThreads;  // elements

/// The step from x to a * x + b, or several such steps one after the other. With a = 0 it is a value: b,
/// whatever x is. Aligned, so that a lane loads or stores both words in one request.
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

/// What a tile has published. All flags are kNothing before the kernel starts.
enum Flag : int { kNothing, kMap, kValue };

/// The workspace: an entry for each tile in each array.
struct Tiles {
  Map* maps;              ///< of the tile alone; valid from kMap on
  std::uint32_t* values;  ///< at the tile's end; valid once its flag is kValue
  volatile int* flags;    ///< volatile: read again and again until another block has written
  unsigned* started;      ///< how many tiles have been taken
};

/// The value before `tile`. Each lane looks at one of the 32 tiles before, the last lane at the nearest, so
/// that the lanes have the order of the tiles; then they go 32 tiles further back.
__device__ std::uint32_t warp_look_back(int tile, std::uint32_t first, Tiles tiles) {
  Map passed = identity();  // what the tiles do that have been looked at
  for (int behind = tile;; behind -= kLanes) {
    const int earlier = behind - kLanes + static_cast<int>(threadIdx.x % kLanes);
    int flag;
    do {
      flag = earlier >= 0 ? tiles.flags[earlier] : kValue;  // before the first tile stands a value
    } while (__any_sync(kAllLanes, flag == kNothing));
    __threadfence();  // each lane reads its map after its flag
    Map map = {0, first};
    if (earlier >= 0) map = flag == kValue ? Map{0, tiles.values[earlier]} : tiles.maps[earlier];
    // Whatever stands before a value is multiplied by 0.
    passed = composed(map_of_lane(warp_inclusive_scan(map), kLanes - 1), passed);
    if (__any_sync(kAllLanes, flag == kValue)) return passed.b;
  }
}

__global__ void __launch_bounds__(kThreads)
    scan_recurrence_kernel(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t first,
                           std::uint32_t* x, int n, Tiles tiles) {
  __shared__ Map warp_maps[kWarps];
  __shared__ std::uint32_t shared_incoming;
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // Not blockIdx.x: a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(tiles.started, 1U));
  __syncthreads();  // only thread 0 knows the tile
  const int tile = shared_tile;
  const int i = tile * kTile + threadIdx.x;
  const Map inclusive = warp_inclusive_scan(i < n ? Map{a[i], b[i]} : identity());
  if (lane == kLanes - 1) warp_maps[warp] = inclusive;
  __syncthreads();  // as many maps as lanes: every warp scans them for itself
  const Map up_to_warp = warp_inclusive_scan(warp_maps[lane]);
  if (warp == 0) {
    const Map all = map_of_lane(up_to_warp, kWarps - 1);
    if (lane == 0) {  // before waiting, so that others need not wait for what this tile waits for
      tiles.maps[tile] = all;
      __threadfence();  // whoever sees the flag must see the map
      tiles.flags[tile] = kMap;
    }
    const std::uint32_t incoming = warp_look_back(tile, first, tiles);
    if (lane == 0) {
      tiles.values[tile] = apply(all, incoming);
      __threadfence();  // whoever sees the flag must see the value
      tiles.flags[tile] = kValue;
      shared_incoming = incoming;
    }
  }
  __syncthreads();  // only the first warp knows the value before the tile
  const Map before_warp = warp == 0 ? identity() : map_of_lane(up_to_warp, warp - 1);
  if (i < n) x[i] = apply(inclusive, apply(before_warp, shared_incoming));
}

std::size_t scan_recurrence_workspace_bytes(int n) {
  return lockstep::divide_up(n, kTile) * (sizeof(Map) + sizeof(std::uint32_t) + sizeof(int)) +
         sizeof(unsigned);
}

void scan_recurrence(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t first, std::uint32_t* x,
                     int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int count = lockstep::divide_up(n, kTile);
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, scan_recurrence_workspace_bytes(n), stream));  // nothing published
  Map* const maps = static_cast<Map*>(workspace);
  auto* const values = reinterpret_cast<std::uint32_t*>(maps + count);
  auto* const flags = reinterpret_cast<int*>(values + count);
  const Tiles tiles{maps, values, flags, reinterpret_cast<unsigned*>(flags + count)};
  scan_recurrence_kernel<<<count, kThreads, 0, stream>>>(a, b, first, x, n, tiles);
  CHECK_CUDA(cudaGetLastError());
}
