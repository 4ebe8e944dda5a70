// expect: inefficient
// fails: parallelism
// One block goes over the whole array: 8 bytes per element, the fewest there are, and nobody helps it.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan.h"

constexpr int kTile = 1024;  // elements, and threads of a block

/// The sums of a tile's values up to each thread, after Hillis and Steele.
__device__ int block_inclusive_scan(int value) {
  __shared__ int sums[2][kTile];
  const int i = threadIdx.x;
  int from = 0;
  sums[from][i] = value;
  __syncthreads();
  for (int offset = 1; offset < kTile; offset *= 2) {
    const int to = 1 - from;
    sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
    __syncthreads();  // the next step writes the buffer that all have finished reading
    from = to;
  }
  return sums[from][i];
}

__global__ void scan_kernel(const int* in, int* out, int n) {
  __shared__ int total;
  int before = 0;
  for (int first = 0; first < n; first += kTile) {
    const int i = first + threadIdx.x;
    const int value = i < n ? in[i] : 0;
    const int sum = block_inclusive_scan(value);
    if (i < n) out[i] = before + sum - value;
    if (threadIdx.x == kTile - 1) total = sum;
    __syncthreads();  // the total is there
    before += total;
    __syncthreads();  // all have read it
  }
}

std::size_t scan_workspace_bytes(int) { return 0; }

void scan(const int* in, int* out, int n, void*, cudaStream_t stream) {
  if (n == 0) return;
  scan_kernel<<<1, kTile, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}
