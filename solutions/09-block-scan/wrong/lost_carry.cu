// expect: wrong-answer
// Every warp scans its 32 elements, but nothing is carried from one warp to the next.
#include "block_scan.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  const int i = threadIdx.x, lane = threadIdx.x % kLanes;
  const int first = blockIdx.x * length;
  const int value = i < length ? in[first + i] : 0;
  int sum = value;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const int left = __shfl_up_sync(kAllLanes, sum, offset);
    if (lane >= offset) sum += left;
  }
  if (i < length) out[first + i] = sum - value;
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, lockstep::divide_up(length, kLanes) * kLanes, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
