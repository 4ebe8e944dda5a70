// exercise: scan
// expect: passed
// expect-gpu: too-slow
// shows: Values and flags that are all volatile, with fences between them on both sides.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 1024;  // elements, and threads of a block
constexpr int kWarps = kTile / kLanes;

__device__ int warp_inclusive_scan(int value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const int left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

/// The sum of the values of the threads before this one; `total` becomes the sum of all.
__device__ int block_exclusive_scan(int value, int& total) {
  __shared__ int warp_totals[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int inclusive = warp_inclusive_scan(value);
  if (lane == kLanes - 1) warp_totals[warp] = inclusive;
  __syncthreads();  // as many totals as lanes: every warp scans them for itself
  const int up_to_warp = warp_inclusive_scan(warp_totals[lane]);
  const int before = __shfl_sync(kAllLanes, up_to_warp, warp > 0 ? warp - 1 : 0);
  total = __shfl_sync(kAllLanes, up_to_warp, kWarps - 1);
  return (warp > 0 ? before : 0) + inclusive - value;
}

/// What a tile has told. All flags are kNothing before the kernel starts.
enum Flag : int { kNothing, kTotal, kSum };

/// The workspace: an entry a tile in each array.
struct Tiles {
  unsigned* started;  ///< how many tiles have been taken
  volatile int* flags;
  volatile int* totals;  ///< of the tile alone; valid once its flag is kTotal
  volatile int* sums;    ///< of everything up to the tile's end; valid once its flag is kSum
};

__device__ void publish(volatile int* place, int value, volatile int* flag_place, Flag flag) {
  *place = value;
  __threadfence();  // whoever sees the flag must see the value
  *flag_place = flag;
}

/// The sum of everything before `tile`, whose predecessors have all started, so that the waiting ends.
__device__ int look_back(int tile, Tiles tiles) {
  int before = 0;
  for (int earlier = tile - 1; earlier >= 0; --earlier) {
    int flag;
    do {
      flag = tiles.flags[earlier];
    } while (flag == kNothing);
    __threadfence();  // the value after its flag
    if (flag == kSum) return before + tiles.sums[earlier];
    before += tiles.totals[earlier];
  }
  return before;
}

__global__ void scan_kernel(const int* in, int* out, int n, Tiles tiles) {
  __shared__ int shared_tile, shared_before;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = atomicAdd(tiles.started, 1);
  __syncthreads();
  const int tile = shared_tile;
  const int position = tile * kTile + threadIdx.x;
  int total;
  const int sum = block_exclusive_scan(position < n ? in[position] : 0, total);
  if (threadIdx.x == 0) {
    // Before waiting, so that others need not wait for what this tile waits for.
    publish(&tiles.totals[tile], total, &tiles.flags[tile], kTotal);
    const int before = look_back(tile, tiles);
    publish(&tiles.sums[tile], before + total, &tiles.flags[tile], kSum);
    shared_before = before;
  }
  __syncthreads();  // only thread 0 knows what lies before
  if (position < n) out[position] = shared_before + sum;
}

std::size_t scan_workspace_bytes(int n) {
  return sizeof(unsigned) + 3 * sizeof(int) * lockstep::divide_up(n, kTile);
}

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int count = lockstep::divide_up(n, kTile);
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, scan_workspace_bytes(n), stream));  // nothing taken, nothing told
  int* const flags = static_cast<int*>(workspace) + 1;
  const Tiles tiles{static_cast<unsigned*>(workspace), flags, flags + count, flags + 2 * count};
  scan_kernel<<<count, kTile, 0, stream>>>(in, out, n, tiles);
  CHECK_CUDA(cudaGetLastError());
}
