// expect: wrong-answer
// Keeps value and flag in one word of 32 bits: the two highest bits of large sums are lost.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 1024;  // elements, and threads of a block
constexpr int kWarps = kTile / kLanes;

__device__ int warp_inclusive_scan(int value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const int left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

/// The sum of the values of the threads before this one; `total` becomes the sum of all.
__device__ int block_exclusive_scan(int value, int& total) {
  __shared__ int warp_totals[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int inclusive = warp_inclusive_scan(value);
  if (lane == kLanes - 1) warp_totals[warp] = inclusive;
  __syncthreads();  // as many totals as lanes: every warp scans them for itself
  const int up_to_warp = warp_inclusive_scan(warp_totals[lane]);
  const int before = __shfl_sync(kAllLanes, up_to_warp, warp > 0 ? warp - 1 : 0);
  total = __shfl_sync(kAllLanes, up_to_warp, kWarps - 1);
  return (warp > 0 ? before : 0) + inclusive - value;
}

/// What a tile has told, in the two lowest bits of its word; the value takes the others.
enum Flag : unsigned { kNothing, kTotal, kSum };

__device__ unsigned pack(int value, Flag flag) { return static_cast<unsigned>(value) << 2 | flag; }
__device__ int value_of(unsigned word) { return static_cast<int>(word) >> 2; }

__device__ int look_back(int tile, const volatile unsigned* words) {
  int before = 0;
  for (int earlier = tile - 1; earlier >= 0; --earlier) {
    unsigned word;
    do {
      word = words[earlier];
    } while (word % 4 == kNothing);
    before += value_of(word);
    if (word % 4 == kSum) break;
  }
  return before;
}

__global__ void scan_kernel(const int* in, int* out, int n, unsigned* started, volatile unsigned* words) {
  __shared__ int shared_tile, shared_before;
  if (threadIdx.x == 0) shared_tile = atomicAdd(started, 1);
  __syncthreads();
  const int tile = shared_tile;
  const int position = tile * kTile + threadIdx.x;
  int total;
  const int sum = block_exclusive_scan(position < n ? in[position] : 0, total);
  if (threadIdx.x == 0) {
    words[tile] = pack(total, kTotal);
    const int before = look_back(tile, words);
    words[tile] = pack(before + total, kSum);
    shared_before = before;
  }
  __syncthreads();
  if (position < n) out[position] = shared_before + sum;
}

std::size_t scan_workspace_bytes(int n) { return (1 + lockstep::divide_up(n, kTile)) * sizeof(unsigned); }

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, scan_workspace_bytes(n), stream));
  unsigned* const started = static_cast<unsigned*>(workspace);
  scan_kernel<<<lockstep::divide_up(n, kTile), kTile, 0, stream>>>(in, out, n, started, started + 1);
  CHECK_CUDA(cudaGetLastError());
}
