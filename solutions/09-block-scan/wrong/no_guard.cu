// expect: out-of-bounds
// The threads beyond the segment read as if they were inside: those of the last segment leave the buffer.
#include "block_scan.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ int sums[2][kLongest];
  const int i = threadIdx.x, threads = blockDim.x;
  const int first = blockIdx.x * length;
  int from = 0;
  sums[from][i] = in[first + i];
  __syncthreads();
  for (int offset = 1; offset < threads; offset *= 2) {
    const int to = 1 - from;
    sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
    __syncthreads();
    from = to;
  }
  if (i < length) out[first + i] = i > 0 ? sums[from][i - 1] : 0;
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, lockstep::divide_up(length, kLanes) * kLanes, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
