// expect: race
// One buffer and one barrier a step: a thread writes its sum while another one still reads it.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[kLongest];
  const int i = threadIdx.x, length = blockDim.x;
  const int position = blockIdx.x * length + i;
  sums[i] = in[position];
  __syncthreads();
  for (int offset = 1; offset < length; offset *= 2) {
    if (i >= offset) sums[i] += sums[i - offset];
    __syncthreads();
  }
  out[position] = i > 0 ? sums[i - 1] : 0;  // the inclusive sum of the left neighbour is the exclusive one
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, length, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
