// Scan within a block, four neighbouring elements a thread, shuffles between threads. Lecture: 09-block-scan.
// Bound: memory where segments are aligned for vectors of 16 bytes; elsewhere lanes that read and write word
// by word are four words apart.
#include "block_scan.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kElements = 4;  // of a thread: a vector of 16 bytes

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

/// The sum of the values of all threads of the block before this one. Met by whole warps, at most 32.
__device__ int block_exclusive_scan(int value) {
  __shared__ int totals[kLanes];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes;
  const int sum = warp_inclusive_scan(value);
  if (lane == kLanes - 1) totals[warp] = sum;
  __syncthreads();  // the first warp reads what all have written
  if (warp == 0) {  // all of its lanes, so that they meet at the shuffles
    const int total = lane < warps ? totals[lane] : 0;
    const int up_to_warp = warp_inclusive_scan(total);
    if (lane < warps) totals[lane] = up_to_warp - total;  // what lies before the warp
  }
  __syncthreads();  // all read what the first warp has written
  return totals[warp] + sum - value;
}

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  const int i = kElements * threadIdx.x, position = blockIdx.x * length + i;
  const bool is_aligned = length % kElements == 0;  // segments then start, and end, at whole vectors
  int4 values = make_int4(0, 0, 0, 0);
  if (is_aligned) {
    if (i < length) values = *reinterpret_cast<const int4*>(in + position);
  } else {
    if (i + 0 < length) values.x = in[position + 0];
    if (i + 1 < length) values.y = in[position + 1];
    if (i + 2 < length) values.z = in[position + 2];
    if (i + 3 < length) values.w = in[position + 3];
  }
  // [own-elements]
  const int two = values.x + values.y, three = two + values.z;  // the first two of the thread, and three
  const int before = block_exclusive_scan(three + values.w);
  const int4 sums = make_int4(before, before + values.x, before + two, before + three);
  // [own-elements]
  if (is_aligned) {
    if (i < length) *reinterpret_cast<int4*>(out + position) = sums;
  } else {
    if (i + 0 < length) out[position + 0] = sums.x;
    if (i + 1 < length) out[position + 1] = sums.y;
    if (i + 2 < length) out[position + 2] = sums.z;
    if (i + 3 < length) out[position + 3] = sums.w;
  }
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  const int threads = lockstep::divide_up(length, kElements * kLanes) * kLanes;
  block_scan_kernel<<<segments, threads, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
