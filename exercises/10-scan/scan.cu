// Scan an array of any length: the file that you hand in. The task is in README.md, the interface in scan.h.
#include "scan.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kTile = 1024;  // elements that one block scans, one per thread

/// Scans each tile by itself, after Hillis and Steele, and stores its total.
__global__ void scan_tiles_kernel(const int* in, int* out, int n, int* totals) {
  __shared__ int sums[2][kTile];
  const int i = threadIdx.x, position = blockIdx.x * kTile + i;
  const int value = position < n ? in[position] : 0;
  int from = 0;
  sums[from][i] = value;
  __syncthreads();
  for (int offset = 1; offset < kTile; offset *= 2) {
    const int to = 1 - from;
    sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
    __syncthreads();
    from = to;
  }
  if (position < n) out[position] = sums[from][i] - value;
  if (i == kTile - 1) totals[blockIdx.x] = sums[from][i];
}

std::size_t scan_workspace_bytes(int n) { return lockstep::divide_up(n, kTile) * sizeof(int); }

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  int* const totals = static_cast<int*>(workspace);
  scan_tiles_kernel<<<tiles, kTile, 0, stream>>>(in, out, n, totals);
  CHECK_CUDA(cudaGetLastError());
  // TODO: every tile but the first lacks the sum of the tiles before it. The totals of the tiles are here:
  // scan them too (there may be more than a block can take) and add to each tile what lies before it.
}
