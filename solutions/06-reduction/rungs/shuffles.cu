// Reduction in which lanes exchange their sums by shuffles. Lecture: 06-reduction.
// Bound: memory bandwidth; but each thread waits for a load before it issues the next.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kMaxBlocks = 1024;  // whose sums one block adds up

// [warp-sum]
/// The sum of the values of all lanes, in lane 0.
__device__ float warp_sum(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}
// [warp-sum]

// [block-sum]
/// The sum of the values of all threads, in thread 0.
__device__ float block_sum(float value) {
  __shared__ float sums_of_warps[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const float sum = warp_sum(value);
  if (lane == 0) sums_of_warps[warp] = sum;
  __syncthreads();
  return warp > 0 ? 0 : warp_sum(lane < kWarps ? sums_of_warps[lane] : 0);
}
// [block-sum]

__global__ void sums_of_blocks_kernel(const float* in, unsigned n, float* sums) {
  float own = 0;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) own += in[i];
  const float sum = block_sum(own);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

std::size_t reduction_workspace_bytes(int) { return kMaxBlocks * sizeof(float); }

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  const int blocks = std::clamp(lockstep::divide_up(n, kThreads), 1, kMaxBlocks);
  float* const sums = blocks == 1 ? sum : static_cast<float*>(workspace);
  sums_of_blocks_kernel<<<blocks, kThreads, 0, stream>>>(in, n, sums);
  CHECK_CUDA(cudaGetLastError());
  if (blocks == 1) return;
  sums_of_blocks_kernel<<<1, kThreads, 0, stream>>>(sums, blocks, sum);
  CHECK_CUDA(cudaGetLastError());
}
