// Scan within a block by shuffles, eight elements a thread, the reference. Lecture: 09-block-scan.
// Bound: memory bandwidth; one barrier a segment, and shared memory holds no more than a total for each warp.
#include "block_scan.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kRows = 8;                       // of 32 neighbouring elements, which a warp scans side by side
constexpr int kWarpElements = kRows * kLanes;  // neighbours too: a segment of 1024 takes 4 warps
constexpr int kMaximumWarps = 1024 / kWarpElements;

// [warp-scan]
/// Inclusive sums of each row. All rows take a step before any takes the next: while one waits for its
/// shuffle, the others go on.
__device__ void warp_inclusive_scans(int (&sums)[kRows]) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    for (int& sum : sums) {
      // All lanes take part, also those that add nothing.
      const int left = __shfl_up_sync(kAllLanes, sum, offset);
      if (lane >= offset) sum += left;
    }
  }
}
// [warp-scan]

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ int totals[kMaximumWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int segment = blockIdx.x * length;
  const int first = warp * kWarpElements + lane;

  int values[kRows];  // read all before the first is needed, to have many bytes on their way
  for (int row = 0; row < kRows; ++row) {
    const int i = first + row * kLanes;
    values[row] = i < length ? in[segment + i] : 0;
  }
  // [rows]
  int sums[kRows];
  for (int row = 0; row < kRows; ++row) sums[row] = values[row];
  warp_inclusive_scans(sums);
  int before = 0;  // the sum of the warp's rows so far
  for (int row = 0; row < kRows; ++row) {
    const int row_total = __shfl_sync(kAllLanes, sums[row], kLanes - 1);
    sums[row] += before - values[row];
    before += row_total;
  }
  // [rows]
  // [warp-totals]
  if (lane == 0) totals[warp] = before;
  __syncthreads();  // the totals of the other warps
  int earlier_warps = 0;
  for (int w = 0; w < kMaximumWarps - 1; ++w) {  // a fixed number, so that no read waits for another
    if (w < warp) earlier_warps += totals[w];
  }
  // [warp-totals]
  for (int row = 0; row < kRows; ++row) {
    const int i = first + row * kLanes;
    if (i < length) out[segment + i] = earlier_warps + sums[row];
  }
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  const int threads = lockstep::divide_up(length, kWarpElements) * kLanes;
  block_scan_kernel<<<segments, threads, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
