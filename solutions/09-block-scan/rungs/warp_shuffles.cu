// Scan within a block by shuffles within its warps, one thread an element. Lecture: 09-block-scan.
// Bound: one element a thread keeps too few bytes in flight, and the block waits while one warp scans totals.
#include "block_scan.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// [scan-a-warp]
/// The sum of the lane's value and those of the lanes before it. Met by whole warps.
__device__ int warp_inclusive_scan(int value) {
  const int lane = threadIdx.x % kLanes;
  int sum = value;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    // All lanes take part, also those that add nothing.
    const int left = __shfl_up_sync(kAllLanes, sum, offset);
    if (lane >= offset) sum += left;
  }
  return sum;
}
// [scan-a-warp]

/// The sum of the values of all threads of the block before this one. Met by whole warps, at most 32.
__device__ int block_exclusive_scan(int value) {
  __shared__ int totals[kLanes];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes;
  const int sum = warp_inclusive_scan(value);
  if (lane == kLanes - 1) totals[warp] = sum;
  __syncthreads();  // the first warp reads what all have written
  // [scan-totals]
  if (warp == 0) {  // all of its lanes, so that they meet at the shuffles
    const int total = lane < warps ? totals[lane] : 0;
    const int up_to_warp = warp_inclusive_scan(total);
    if (lane < warps) totals[lane] = up_to_warp - total;  // what lies before the warp
  }
  // [scan-totals]
  __syncthreads();  // all read what the first warp has written
  return totals[warp] + sum - value;
}

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  const int i = threadIdx.x, position = blockIdx.x * length + i;
  const int value = i < length ? in[position] : 0;  // the last warp is whole, also where the segment ends
  const int before = block_exclusive_scan(value);
  if (i < length) out[position] = before;
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  const int threads = lockstep::divide_up(length, kLanes) * kLanes;
  block_scan_kernel<<<segments, threads, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
