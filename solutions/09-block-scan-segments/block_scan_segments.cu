// Segmented scan of each row by shuffles, one thread an element, the reference. Lecture: 09-block-scan.
// Bound: one element a thread keeps few bytes in flight; two barriers a row, and shared memory holds no more
// than a pair of total and flag for each warp.
#include "block_scan_segments.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;

/// Of the lanes up to this one the last in which a segment begins; -1 where there is none.
__device__ int warp_last_begin(bool begins) {
  const int lane = threadIdx.x % kLanes;
  const unsigned up_to_lane = kAllLanes >> (kLanes - 1 - lane);
  return kLanes - 1 - __clz(__ballot_sync(kAllLanes, begins) & up_to_lane);  // __clz(0) is 32
}

/// The sum of the values from lane `begin` to this one, from lane 0 where `begin` is -1.
__device__ int warp_segmented_scan(int value, int begin) {
  const int lane = threadIdx.x % kLanes, first = begin < 0 ? 0 : begin;
  int sum = value;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    // All lanes take part, also those that add nothing.
    const int left = __shfl_up_sync(kAllLanes, sum, offset);
    if (lane - offset >= first) sum += left;
  }
  return sum;
}

__global__ void block_scan_segments_kernel(const int* values, const int* flags, int* out, int columns) {
  __shared__ int totals[kLanes], has_begin[kLanes];
  const int i = threadIdx.x, lane = i % kLanes, warp = i / kLanes, warps = blockDim.x / kLanes;
  const int position = blockIdx.x * columns + i;
  const bool is_inside = i < columns;  // the last warp is whole, also where the row ends
  const int value = is_inside ? values[position] : 0;
  const int begin = warp_last_begin(is_inside && flags[position] != 0);
  int sum = warp_segmented_scan(value, begin);
  if (lane == kLanes - 1) {
    totals[warp] = sum;
    has_begin[warp] = begin >= 0;
  }
  __syncthreads();  // the first warp reads what all have written
  if (warp == 0) {  // the warps of the row are scanned as the lanes of a warp are
    const int total = lane < warps ? totals[lane] : 0;
    const int last_warp_with_begin = warp_last_begin(lane < warps && has_begin[lane] != 0);
    const int up_to_warp = warp_segmented_scan(total, last_warp_with_begin);
    if (lane < warps) totals[lane] = up_to_warp;
  }
  __syncthreads();  // all read what the first warp has written
  // The lane's segment began before its warp.
  if (warp > 0 && begin < 0) sum += totals[warp - 1];
  if (is_inside) out[position] = sum;
}

void block_scan_segments(const int* values, const int* flags, int* out, int rows, int columns,
                         cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const int threads = lockstep::divide_up(columns, kLanes) * kLanes;
  block_scan_segments_kernel<<<rows, threads, 0, stream>>>(values, flags, out, columns);
  CHECK_CUDA(cudaGetLastError());
}
