// expect: inefficient
// fails: parallelism
// One block takes all segments, one after the other, though none needs another.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out, int segments) {
  __shared__ int sums[2][kLongest];
  const int i = threadIdx.x, length = blockDim.x;
  for (int segment = 0; segment < segments; ++segment) {
    const int position = segment * length + i;
    int from = 0;
    sums[from][i] = in[position];
    __syncthreads();
    for (int offset = 1; offset < length; offset *= 2) {
      const int to = 1 - from;
      sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
      __syncthreads();  // the next step writes the buffer that all have finished reading
      from = to;
    }
    out[position] = i > 0 ? sums[from][i - 1] : 0;
    __syncthreads();  // all have read their sum
  }
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a block without threads is an error
  block_scan_kernel<<<1, length, 0, stream>>>(in, out, segments);
  CHECK_CUDA(cudaGetLastError());
}
