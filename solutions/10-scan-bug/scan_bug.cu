// The scan of "scan-bug", repaired: totals are read before they are written again, and add up. Lecture:
// 10-scan. Bound: memory bandwidth at 12 bytes an element: all of `in` is read twice.
#include "scan_bug.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 1024;       // elements that a block scans at a time, and its threads
constexpr int kMaxParts = kTile;  // so that one block scans their totals in one go
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
  __syncthreads();  // the totals have been read; the next call may write them
  return (warp > 0 ? before : 0) + inclusive - value;
}

/// How the tiles of the array are dealt out: each block gets a part of neighbouring tiles.
struct Parts {
  int tiles, tiles_each, count;
};

Parts parts_of(int n) {
  const int tiles = lockstep::divide_up(n, kTile);
  const int tiles_each = lockstep::divide_up(tiles, kMaxParts);
  return {tiles, tiles_each, lockstep::divide_up(tiles, tiles_each)};
}

__global__ void add_up_parts_kernel(const int* in, int n, Parts parts, int* totals) {
  const int first = blockIdx.x * parts.tiles_each;
  int sum = 0;  // of every 1024th element of the part
  for (int tile = first; tile < min(first + parts.tiles_each, parts.tiles); ++tile) {
    const int position = tile * kTile + threadIdx.x;
    if (position < n) sum += in[position];
  }
  int total;
  block_exclusive_scan(sum, total);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

__global__ void scan_totals_kernel(int* totals, int count) {
  const int i = threadIdx.x;
  int total;
  const int before = block_exclusive_scan(i < count ? totals[i] : 0, total);
  if (i < count) totals[i] = before;
}

__global__ void scan_parts_kernel(const int* in, int* out, int n, Parts parts, const int* before_parts) {
  const int first = blockIdx.x * parts.tiles_each;
  int before = before_parts[blockIdx.x];
  for (int tile = first; tile < min(first + parts.tiles_each, parts.tiles); ++tile) {
    const int position = tile * kTile + threadIdx.x;
    int total;
    const int sum = block_exclusive_scan(position < n ? in[position] : 0, total);
    if (position < n) out[position] = before + sum;
    before += total;
  }
}

std::size_t scan_bug_workspace_bytes(int) { return kMaxParts * sizeof(int); }

void scan_bug(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Parts parts = parts_of(n);
  int* const totals = static_cast<int*>(workspace);
  add_up_parts_kernel<<<parts.count, kTile, 0, stream>>>(in, n, parts, totals);
  CHECK_CUDA(cudaGetLastError());
  scan_totals_kernel<<<1, kTile, 0, stream>>>(totals, parts.count);
  CHECK_CUDA(cudaGetLastError());
  scan_parts_kernel<<<parts.count, kTile, 0, stream>>>(in, out, n, parts, totals);
  CHECK_CUDA(cudaGetLastError());
}
