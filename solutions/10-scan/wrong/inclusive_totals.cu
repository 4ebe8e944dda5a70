// expect: wrong-answer
// says: every sum holds the total of its own tile as well
// The sums of the totals are inclusive: each tile adds its own total too.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan.h"

constexpr int kTile = 1024;  // elements that one block scans, one for each thread

__global__ void add_up_kernel(const int* in, int n, int* totals) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int position = blockIdx.x * kTile + threadIdx.x;
  if (position < n) atomicAdd(&total, in[position]);
  __syncthreads();
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

__global__ void scan_totals_kernel(int* totals, int tiles) {
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    const int value = totals[t];
    sum += value;
    totals[t] = sum;
  }
}

__global__ void scan_tiles_kernel(const int* in, int* out, int n, const int* totals) {
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
  if (position < n) out[position] = totals[blockIdx.x] + sums[from][i] - value;
}

std::size_t scan_workspace_bytes(int n) { return lockstep::divide_up(n, kTile) * sizeof(int); }

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  int* const totals = static_cast<int*>(workspace);
  add_up_kernel<<<tiles, kTile, 0, stream>>>(in, n, totals);
  CHECK_CUDA(cudaGetLastError());
  scan_totals_kernel<<<1, 1, 0, stream>>>(totals, tiles);
  CHECK_CUDA(cudaGetLastError());
  scan_tiles_kernel<<<tiles, kTile, 0, stream>>>(in, out, n, totals);
  CHECK_CUDA(cudaGetLastError());
}
