// expect: race
// Each block adds up the totals of the blocks before it, trusting that they have finished: nothing says so.
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

__global__ void scan_kernel(const int* in, int* out, int n, int* totals) {
  __shared__ int shared_before;
  const int position = blockIdx.x * kTile + threadIdx.x;
  int total;
  const int sum = block_exclusive_scan(position < n ? in[position] : 0, total);
  if (threadIdx.x == 0) {
    totals[blockIdx.x] = total;
    int before = 0;
    for (int earlier = 0; earlier < blockIdx.x; ++earlier) before += totals[earlier];
    shared_before = before;
  }
  __syncthreads();
  if (position < n) out[position] = shared_before + sum;
}

std::size_t scan_workspace_bytes(int n) { return lockstep::divide_up(n, kTile) * sizeof(int); }

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, scan_workspace_bytes(n), stream));
  scan_kernel<<<lockstep::divide_up(n, kTile), kTile, 0, stream>>>(in, out, n, static_cast<int*>(workspace));
  CHECK_CUDA(cudaGetLastError());
}
