// expect: memory-limit
// Asks for a workspace as long as the array, where the totals of the tiles would do.
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

__global__ void scan_tiles_kernel(const int* in, int* out, int n, int* totals) {
  const int position = blockIdx.x * kTile + threadIdx.x;
  int total;
  const int sum = block_exclusive_scan(position < n ? in[position] : 0, total);
  if (position < n) out[position] = sum;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

__global__ void scan_totals_kernel(int* totals, int count) {
  const int i = threadIdx.x;
  int total;
  const int before = block_exclusive_scan(i < count ? totals[i] : 0, total);
  if (i < count) totals[i] = before;
}

__global__ void add_before_kernel(int* out, int n, const int* before) {
  const int position = blockIdx.x * kTile + threadIdx.x;
  if (position < n) out[position] += before[blockIdx.x];
}

std::size_t scan_workspace_bytes(int n) { return n * sizeof(int); }

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  int* const totals = static_cast<int*>(workspace);
  scan_tiles_kernel<<<tiles, kTile, 0, stream>>>(in, out, n, totals);
  CHECK_CUDA(cudaGetLastError());
  scan_totals_kernel<<<1, kTile, 0, stream>>>(totals, tiles);
  CHECK_CUDA(cudaGetLastError());
  add_before_kernel<<<tiles, kTile, 0, stream>>>(out, n, totals);
  CHECK_CUDA(cudaGetLastError());
}
