// Scan within a block after Hillis and Steele, one thread an element, two buffers. Lecture: 09-block-scan.
// Bound: every step touches every element: 9217 additions and eleven barriers for 1024 elements.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[2][kLongest];
  const int i = threadIdx.x, length = blockDim.x;
  const int position = blockIdx.x * length + i;
  int from = 0;
  sums[from][i] = in[position];
  __syncthreads();
  // [hillis-steele]
  for (int offset = 1; offset < length; offset *= 2) {
    const int to = 1 - from;
    sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
    __syncthreads();  // one a step will do: the next step writes the buffer that all have finished reading
    from = to;
  }
  // [hillis-steele]
  // The inclusive sum of the left neighbour is the exclusive one.
  out[position] = i > 0 ? sums[from][i - 1] : 0;
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, length, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
