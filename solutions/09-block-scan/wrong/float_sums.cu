// expect: wrong-answer
// says: kept in a float
// Adds up in float, which holds 24 bits: large sums lose their last digits.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ float sums[2][kLongest];
  const int i = threadIdx.x, length = blockDim.x;
  const int position = blockIdx.x * length + i;
  int from = 0;
  sums[from][i] = static_cast<float>(in[position]);
  __syncthreads();
  for (int offset = 1; offset < length; offset *= 2) {
    const int to = 1 - from;
    sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0.0F);
    __syncthreads();  // one per step will do: the next step writes the buffer that all have finished reading
    from = to;
  }
  out[position] = i > 0 ? static_cast<int>(sums[from][i - 1])
                        : 0;  // the inclusive sum of the left neighbour is the exclusive one
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, length, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
