// exercise: scan
// expect: passed
// expect-gpu: too-slow
// shows: The sum of the tiles before in shared memory, which the first block neither writes nor needs.
#include "lockstep/divide_up.h"
#include "scan.h"

constexpr int kThreads = 256, kWarps = kThreads / 32, kChunks = 16, kTile = kThreads * kChunks;

__global__ void totals_kernel(const int* in, int* totals, int n) {
  __shared__ int parts[kWarps];
  int sum = 0;
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const int i = blockIdx.x * kTile + chunk * kThreads + threadIdx.x;
    sum += i < n ? in[i] : 0;
  }
  sum = __reduce_add_sync(~0U, sum);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int total = 0;
  for (int part : parts) total += part;
  totals[blockIdx.x] = total;
}

__global__ void scan_kernel(const int* in, const int* totals, int* out, int n) {
  __shared__ int previous;
  __shared__ int parts[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (blockIdx.x > 0 && warp == 0) {
    int sum = 0;
    for (unsigned block = lane; block < blockIdx.x; block += 32) sum += totals[block];
    sum = __reduce_add_sync(~0U, sum);
    if (lane == 0) previous = sum;
  }
  __syncthreads();
  int before = blockIdx.x > 0 ? previous : 0;
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const int i = blockIdx.x * kTile + chunk * kThreads + threadIdx.x;
    const int own = i < n ? in[i] : 0;
    int inclusive = own;
    for (int distance = 1; distance < 32; distance *= 2) {
      const int other = __shfl_up_sync(~0U, inclusive, distance);
      if (lane >= distance) inclusive += other;
    }
    if (lane == 31) parts[warp] = inclusive;
    __nanosleep(5000);  // too slow on any GPU
    __syncthreads();
    int chunk_total = 0, warps_before = 0;
    for (int w = 0; w < kWarps; ++w) {
      if (w == warp) warps_before = chunk_total;
      chunk_total += parts[w];
    }
    if (i < n) out[i] = before + warps_before + inclusive - own;
    before += chunk_total;
    __syncthreads();
  }
}

std::size_t scan_workspace_bytes(int n) { return sizeof(int) * lockstep::divide_up(n, kTile); }

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;
  int* totals = static_cast<int*>(workspace);
  const int blocks = lockstep::divide_up(n, kTile);
  totals_kernel<<<blocks, kThreads, 0, stream>>>(in, totals, n);
  scan_kernel<<<blocks, kThreads, 0, stream>>>(in, totals, out, n);
}
