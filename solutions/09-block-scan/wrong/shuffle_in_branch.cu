// expect: bad-sync
// The shuffles stand inside the guard but name all lanes: in the last warp some of them never arrive.
#include "block_scan.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr int kLongest = 1024;
constexpr unsigned kAllLanes = 0xffffffff;

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ int totals[kLongest / kLanes];
  const int i = threadIdx.x, lane = i % kLanes, warp = i / kLanes;
  const int first = blockIdx.x * length;
  int value = 0, sum = 0;
  if (i < length) {
    value = in[first + i];
    sum = value;
    for (int offset = 1; offset < kLanes; offset *= 2) {
      const int left = __shfl_up_sync(kAllLanes, sum, offset);
      if (lane >= offset) sum += left;
    }
  }
  if (lane == kLanes - 1) totals[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warp; ++w) sum += totals[w];
  if (i < length) out[first + i] = sum - value;
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, lockstep::divide_up(length, kLanes) * kLanes, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
