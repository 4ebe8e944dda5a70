// Segmented scan of each row in steps after Hillis and Steele, one thread an element. Lecture: 09-block-scan.
// Each place holds a flag and a sum, and both take part in every step.
// Bound: every step touches every element, with four accesses of shared memory or more, and has a barrier.
#include "block_scan_segments.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_segments_kernel(const int* values, const int* flags, int* out) {
  __shared__ int sums[2][kLongest], begins[2][kLongest];
  const int i = threadIdx.x, columns = blockDim.x;
  const int position = blockIdx.x * columns + i;
  int from = 0;
  sums[from][i] = values[position];
  begins[from][i] = flags[position] != 0;
  __syncthreads();
  for (int offset = 1; offset < columns; offset *= 2) {
    const int to = 1 - from;
    int sum = sums[from][i], begun = begins[from][i];
    if (i >= offset && begun == 0) {  // no segment begins in what the sum stands for: it goes on to the left
      sum += sums[from][i - offset];
      begun = begins[from][i - offset];
    }
    sums[to][i] = sum;
    begins[to][i] = begun;
    __syncthreads();  // one a step will do: the next step writes the buffer that all have finished reading
    from = to;
  }
  out[position] = sums[from][i];
}

void block_scan_segments(const int* values, const int* flags, int* out, int rows, int columns,
                         cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  block_scan_segments_kernel<<<rows, columns, 0, stream>>>(values, flags, out);
  CHECK_CUDA(cudaGetLastError());
}
