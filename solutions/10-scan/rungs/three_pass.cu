// fails: bytes-per-element
// at: if (position < n) out[position] += before[blockIdx.x];
// Scan in three passes: scan the tiles, scan their totals, add back what lies before. Lecture: 10-scan.
// Bound: memory bandwidth at 16 bytes an element: every sum is written, read again, mended and written again.
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

// [scan-tiles]
__global__ void scan_tiles_kernel(const int* in, int* out, int n, int* totals) {
  const int position = blockIdx.x * kTile + threadIdx.x;
  int total;
  const int sum = block_exclusive_scan(position < n ? in[position] : 0, total);
  if (position < n) out[position] = sum;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}
// [scan-tiles]

// [add-back]
__global__ void add_before_kernel(int* out, int n, const int* before) {
  const int position = blockIdx.x * kTile + threadIdx.x;
  if (position < n) out[position] += before[blockIdx.x];
}
// [add-back]

// [three-passes]
void scan_level(const int* in, int* out, int n, int* workspace, cudaStream_t stream) {
  const int tiles = lockstep::divide_up(n, kTile);
  int* const totals = workspace;
  scan_tiles_kernel<<<tiles, kTile, 0, stream>>>(in, out, n, totals);
  CHECK_CUDA(cudaGetLastError());
  if (tiles == 1) return;
  // In place: a block reads its tile, then writes it.
  scan_level(totals, totals, tiles, workspace + tiles, stream);
  add_before_kernel<<<tiles, kTile, 0, stream>>>(out, n, totals);
  CHECK_CUDA(cudaGetLastError());
}
// [three-passes]

std::size_t scan_workspace_bytes(int n) {
  std::size_t totals = 0;
  for (int tiles = n; tiles > 1;) {  // the totals of the tiles, the totals of tiles of those, …
    tiles = lockstep::divide_up(tiles, kTile);
    totals += tiles;
  }
  return (totals + 1) * sizeof(int);  // a single element has a total too
}

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n > 0) scan_level(in, out, n, static_cast<int*>(workspace), stream);
}
