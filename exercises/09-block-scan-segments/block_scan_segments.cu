// Scan segments within a block: the file that you hand in. The task is in README.md, the interface in
// block_scan_segments.h.
#include "block_scan_segments.h"

#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;  // the longest row

/// One block per row, one thread per element.
__global__ void block_scan_segments_kernel(const int* values, const int* flags, int* out) {
  __shared__ int sums[kLongest];
  const int i = threadIdx.x, columns = blockDim.x;
  const int position = blockIdx.x * columns + i;
  sums[i] = values[position];
  __syncthreads();  // from here on every thread may read every element of the row
  // TODO: make sums[i] the sum of the elements of its segment up to and including element i; a segment begins
  // where flags[position] is not 0. What has a thread to know of its own run of elements, besides their sum,
  // to add the run before it or to leave that out?
  out[position] = sums[i];
}

void block_scan_segments(const int* values, const int* flags, int* out, int rows, int columns,
                         cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  block_scan_segments_kernel<<<rows, columns, 0, stream>>>(values, flags, out);
  CHECK_CUDA(cudaGetLastError());
}
