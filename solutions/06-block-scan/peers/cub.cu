// CUB's scan within a block, to compare with: one thread an element, by shuffles.
#include <cub/block/block_scan.cuh>

#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 1024;

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage temporary;
  const int i = threadIdx.x, position = blockIdx.x * length + i;
  int sum;
  Scan(temporary).ExclusiveSum(i < length ? in[position] : 0, sum);
  if (i < length) out[position] = sum;
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, kThreads, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
