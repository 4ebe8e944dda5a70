// Reduction in one launch: the block that ends last adds up the sums of all. Lecture: 06-reduction.
// Bound: memory bandwidth; for short arrays, setting the counter to 0 takes as long as a second launch.
// Source: NVIDIA, CUDA Samples, threadFenceReduction: a ticket tells which block is the last.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kLanes;
constexpr int kInFlight = 4;                          // vectors of a thread
constexpr unsigned kTile = kThreads * 4 * kInFlight;  // elements that a block loads at once
constexpr int kMaxBlocks = 528;                       // 4 for each of 132 multiprocessors

/// What the blocks of a call tell each other. `ended` is 0 before the kernel starts.
struct Told {
  unsigned ended;  // blocks
  float sums[kMaxBlocks];
};

/// The sum of the values of all lanes, in lane 0.
__device__ float warp_sum(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}

/// The sum of the values of all threads, in thread 0.
__device__ float block_sum(float value) {
  __shared__ float sums_of_warps[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const float sum = warp_sum(value);
  if (lane == 0) sums_of_warps[warp] = sum;
  __syncthreads();
  return warp > 0 ? 0 : warp_sum(lane < kWarps ? sums_of_warps[lane] : 0);
}

__device__ float sum_of(float4 vector) { return (vector.x + vector.y) + (vector.z + vector.w); }

/// The sum of what this thread has of whole tiles, and of the elements behind them.
__device__ float sum_of_thread(const float* in, unsigned n) {
  const auto* const vectors = reinterpret_cast<const float4*>(in);
  float sum = 0;
  const unsigned tiles = n / kTile;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float4 loaded[kInFlight];
    for (int k = 0; k < kInFlight; ++k) loaded[k] = vectors[tile * (kTile / 4) + k * kThreads + threadIdx.x];
    for (const float4& one : loaded) sum += sum_of(one);
  }
  for (unsigned i = tiles * kTile + blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    sum += in[i];
  return sum;
}

// [last-block]
/// Whether this block is the last of the grid to come here; all threads of a block must.
__device__ bool is_last_block(unsigned* ended) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();  // whoever sees the count must see the sum
    is_last = atomicAdd(ended, 1) == gridDim.x - 1;
    __threadfence();  // and read the sums of the others after it
  }
  __syncthreads();
  return is_last;
}
// [last-block]

__global__ void __launch_bounds__(kThreads)
    reduction_kernel(const float* __restrict__ in, unsigned n, float* __restrict__ sum, Told* told) {
  const float of_block = block_sum(sum_of_thread(in, n));
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) *sum = of_block;
    return;
  }
  if (threadIdx.x == 0) told->sums[blockIdx.x] = of_block;
  if (!is_last_block(&told->ended)) return;
  float own = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kThreads) own += told->sums[i];
  const float of_all = block_sum(own);
  if (threadIdx.x == 0) *sum = of_all;
}

std::size_t reduction_workspace_bytes(int) { return sizeof(Told); }

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  const int blocks = std::clamp(lockstep::divide_up(n, static_cast<int>(kTile)), 1, kMaxBlocks);
  auto* const told = static_cast<Told*>(workspace);
  if (blocks > 1) CHECK_CUDA(cudaMemsetAsync(&told->ended, 0, sizeof told->ended, stream));
  reduction_kernel<<<blocks, kThreads, 0, stream>>>(in, n, sum, told);
  CHECK_CUDA(cudaGetLastError());
}
