// Scan within a block: the file that you hand in. The task is in README.md, the interface in block_scan.h.
#include "block_scan.h"

#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;  // the longest segment

/// One block per segment, one thread per element.
__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[kLongest];
  const int i = threadIdx.x, length = blockDim.x;
  const int first = blockIdx.x * length;  // of this block's segment
  sums[i] = in[first + i];
  __syncthreads();  // from here on every thread may read every element of the segment
  // TODO: make sums[i] the sum of the elements before i. Let no thread read what another one may be writing:
  // put a barrier between them, where every thread of the block passes.
  out[first + i] = sums[i];
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, length, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
