// Reduction with vectors of four floats, of which a thread has four in flight. Lecture: 06-reduction.
// Bound: memory bandwidth, and for short arrays a second launch.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kMaxBlocks = 1024;  // whose sums one block adds up
constexpr int kInFlight = 4;      // vectors of a thread

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

// [vectors]
/// The sum of what this thread has of an array that begins at a multiple of 16 bytes.
__device__ float sum_of_thread(const float* in, unsigned n) {
  const auto* const vectors = reinterpret_cast<const float4*>(in);
  const unsigned whole = n / 4, first = blockIdx.x * kThreads + threadIdx.x, step = gridDim.x * kThreads;
  float sum = 0;
  unsigned i = first;
  for (; i + (kInFlight - 1) * step < whole; i += kInFlight * step) {
    float4 loaded[kInFlight];
    for (int k = 0; k < kInFlight; ++k) loaded[k] = vectors[i + k * step];
    for (const float4& one : loaded) sum += (one.x + one.y) + (one.z + one.w);
  }
  for (; i < whole; i += step) sum += (vectors[i].x + vectors[i].y) + (vectors[i].z + vectors[i].w);
  return first < n % 4 ? sum + in[4 * whole + first] : sum;
}
// [vectors]

__global__ void sums_of_blocks_kernel(const float* in, unsigned n, float* sums) {
  const float sum = block_sum(sum_of_thread(in, n));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

std::size_t reduction_workspace_bytes(int) { return kMaxBlocks * sizeof(float); }

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  const int blocks = std::clamp(lockstep::divide_up(n, 4 * kThreads), 1, kMaxBlocks);
  float* const sums = blocks == 1 ? sum : static_cast<float*>(workspace);
  sums_of_blocks_kernel<<<blocks, kThreads, 0, stream>>>(in, n, sums);
  CHECK_CUDA(cudaGetLastError());
  if (blocks == 1) return;
  sums_of_blocks_kernel<<<1, kThreads, 0, stream>>>(sums, blocks, sum);
  CHECK_CUDA(cudaGetLastError());
}
