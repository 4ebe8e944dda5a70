// Scan in a single pass: each tile looks back at what the tiles before have told so far. Lecture: 10-scan.
// Bound: not the 8 bytes an element but the waiting. A look at 32 tiles takes two round trips to memory, for
// the flags and then for the values, with a fence between.
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 16;  // that a warp reads, an element a lane
constexpr int kTile = kWarps * kRows * kLanes;

// Sums are unsigned: those of elements that are no neighbours may leave the range of an int, and must wrap.
__device__ unsigned warp_inclusive_scan(unsigned value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

__device__ unsigned warp_sum(unsigned value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// What a tile has told. All flags are kNothing before the kernel starts.
enum Flag : int { kNothing, kTotal, kSum };

/// The workspace: an entry a tile in each array.
struct Tiles {
  unsigned* started;    ///< how many tiles have been taken
  volatile int* flags;  ///< volatile: read again and again until another block has written
  unsigned* totals;     ///< of the tile alone; valid once its flag is kTotal
  unsigned* sums;       ///< of everything up to the tile's end; valid once its flag is kSum
};

// [publish]
__device__ void publish(unsigned* place, unsigned value, volatile int* flag_place, Flag flag) {
  *place = value;
  __threadfence();  // whoever sees the flag must see the value
  *flag_place = flag;
}
// [publish]

// [look-back]
/// The sum of everything before `tile`. Lane l looks at the tile l + 1 places back; all those have started.
__device__ unsigned warp_look_back(int tile, Tiles tiles) {
  const int lane = threadIdx.x % kLanes;
  unsigned before = 0;
  for (int nearest = tile - 1; nearest >= 0; nearest -= kLanes) {
    const int earlier = nearest - lane;
    int flag;
    do {
      flag = earlier >= 0 ? tiles.flags[earlier] : kSum;  // before the first tile lies nothing
    } while (__any_sync(kAllLanes, flag == kNothing));
    __threadfence();  // each lane reads its value after its flag
    const unsigned sums = __ballot_sync(kAllLanes, flag == kSum);
    // The totals of the lanes before the first that knows a sum, and that sum; without one, all the totals.
    const bool counts = earlier >= 0 && (sums & ((1U << lane) - 1)) == 0;
    before += warp_sum(counts ? (flag == kSum ? tiles.sums[earlier] : tiles.totals[earlier]) : 0);
    if (sums != 0) break;
  }
  return before;
}
// [look-back]

__global__ void __launch_bounds__(kThreads) scan_kernel(const int* in, int* out, int n, Tiles tiles) {
  __shared__ unsigned warp_totals[kWarps];
  __shared__ unsigned shared_before;
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // [take-a-tile]
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(tiles.started, 1U));
  __syncthreads();  // only thread 0 knows the tile
  const int tile = shared_tile;
  // [take-a-tile]

  // Unsigned: positions beyond the end of the last tile may exceed the largest int.
  const unsigned first = static_cast<unsigned>(tile) * kTile + warp * (kRows * kLanes) + lane;
  const unsigned end = static_cast<unsigned>(n);
  unsigned values[kRows];
  for (int row = 0; row < kRows; ++row) {
    const unsigned position = first + row * kLanes;
    values[row] = position < end ? static_cast<unsigned>(in[position]) : 0;
  }
  unsigned sums[kRows];  // of what lies before the element in the warp's rows
  unsigned warp_total = 0;
  for (int row = 0; row < kRows; ++row) {
    const unsigned inclusive = warp_inclusive_scan(values[row]);
    sums[row] = warp_total + inclusive - values[row];
    warp_total += __shfl_sync(kAllLanes, inclusive, kLanes - 1);
  }
  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();  // the totals of all warps

  // [single-pass]
  if (warp == 0) {
    const unsigned total = warp_sum(lane < kWarps ? warp_totals[lane] : 0);
    // Before waiting, so that others need not wait for what this tile waits for.
    if (lane == 0) publish(&tiles.totals[tile], total, &tiles.flags[tile], kTotal);
    const unsigned before_tile = warp_look_back(tile, tiles);
    if (lane == 0) {
      publish(&tiles.sums[tile], before_tile + total, &tiles.flags[tile], kSum);
      shared_before = before_tile;
    }
  }
  __syncthreads();  // only the first warp knows what lies before the tile
  unsigned before = shared_before;
  for (int w = 0; w < warp; ++w) before += warp_totals[w];
  for (int row = 0; row < kRows; ++row) {
    const unsigned position = first + row * kLanes;
    if (position < end) out[position] = static_cast<int>(before + sums[row]);
  }
  // [single-pass]
}

std::size_t scan_workspace_bytes(int n) {
  return sizeof(unsigned) + 3 * sizeof(int) * lockstep::divide_up(n, kTile);
}

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int count = lockstep::divide_up(n, kTile);
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, scan_workspace_bytes(n), stream));  // nothing taken, nothing told
  unsigned* const started = static_cast<unsigned*>(workspace);
  unsigned* const totals = started + 1;
  unsigned* const sums = totals + count;
  const Tiles tiles{started, reinterpret_cast<int*>(sums + count), totals, sums};
  scan_kernel<<<count, kThreads, 0, stream>>>(in, out, n, tiles);
  CHECK_CUDA(cudaGetLastError());
}
