// expect: wrong-answer
// says: the last steps are missing
// The steps end before they reach from the last element to the first.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;  // the longest segment

/// A block for each segment, a thread for each element.
__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[kLongest];
  const int i = threadIdx.x, length = blockDim.x;
  const int first = blockIdx.x * length;  // of this block's segment
  sums[i] = in[first + i];
  __syncthreads();  // from here on every thread may read every element of the segment
  const int own = sums[i];
  for (int d = 1; d < length / 2; d *= 2) {
    const int left = i >= d ? sums[i - d] : 0;
    __syncthreads();
    sums[i] += left;
    __syncthreads();
  }
  sums[i] -= own;
  out[first + i] = sums[i];
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<segments, length, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
