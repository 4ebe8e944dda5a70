// Sums over a block, for the kernels of this folder: in an order that is always the same.
#pragma once

namespace lockstep::particle_filter {

constexpr int kThreads = 256, kLanes = 32, kWarps = kThreads / kLanes;  ///< of a block
constexpr unsigned kAllLanes = 0xFFFFFFFF;

/// The sums over a block of some values of each thread, which thread 0 gets.
template <int kValues>
__device__ void block_sums(double (&values)[kValues]) {
  __shared__ double of_warps[kWarps][kValues];
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
#pragma unroll
  for (int k = 0; k < kValues; ++k) {
    for (int offset = kLanes / 2; offset > 0; offset /= 2)
      values[k] += __shfl_down_sync(kAllLanes, values[k], offset);
    if (lane == 0) of_warps[warp][k] = values[k];
  }
  __syncthreads();  // the sums of all warps
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int k = 0; k < kValues; ++k) {
    values[k] = 0;
    for (int other = 0; other < kWarps; ++other) values[k] += of_warps[other][k];
  }
}

}  // namespace lockstep::particle_filter
