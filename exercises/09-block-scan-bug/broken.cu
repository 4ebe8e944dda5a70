// A scan within a block with one mistake: the file that you hand in. The task is in README.md, the interface
// in block_scan_bug.h.
// TODO: find the mistake, and repair it with as few changes as it takes.
#include "block_scan_bug.h"

#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[kLongest];
  const int i = threadIdx.x, length = blockDim.x;
  const int position = blockIdx.x * length + i;
  sums[i] = in[position];
  __syncthreads();  // the elements of the other threads
  for (int offset = 1; offset < length; offset *= 2) {
    if (i >= offset) sums[i] += sums[i - offset];
    __syncthreads();  // the sums of the other threads
  }
  out[position] = i > 0 ? sums[i - 1] : 0;  // the inclusive sum of the left neighbour is the exclusive one
}

void block_scan_bug(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, length, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
