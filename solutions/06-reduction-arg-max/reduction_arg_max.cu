// The largest element and its place by pairs in registers and shuffles, and a second launch for the pairs of
// the blocks. Lecture: 06-reduction. Bound: memory bandwidth, 4 bytes per element.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction_arg_max.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kLanes;
constexpr int kMaxBlocks = 528;  // 4 for each of 132 multiprocessors; one block combines their pairs

/// A value and where it stands. Of no elements: minus infinity, and the highest unsigned place.
struct Best {
  float value = -INFINITY;
  unsigned place = ~0U;

  /// The larger value, of equal ones the lower place: as an addition, in any order.
  __device__ void take(Best other) {
    if (other.value > value || (other.value == value && other.place < place)) *this = other;
  }
};

/// The best of all lanes, in lane 0.
__device__ Best warp_best(Best own) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    own.take(
        {__shfl_down_sync(kAllLanes, own.value, offset), __shfl_down_sync(kAllLanes, own.place, offset)});
  return own;
}

/// The best of all threads, in thread 0.
__device__ Best block_best(Best own) {
  __shared__ float values[kWarps];
  __shared__ unsigned places[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const Best of_warp = warp_best(own);
  if (lane == 0) {
    values[warp] = of_warp.value;
    places[warp] = of_warp.place;
  }
  __syncthreads();
  if (warp > 0) return {};
  return warp_best(lane < kWarps ? Best{values[lane], places[lane]} : Best{});
}

/// Of elements, whose places are their numbers, or of the pairs that blocks before have left.
__global__ void __launch_bounds__(kThreads)
    best_of_blocks_kernel(const float* in, const int* places, unsigned n, float* values_out,
                          int* places_out) {
  Best own;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    own.take({in[i], places ? static_cast<unsigned>(places[i]) : i});
  const Best best = block_best(own);
  if (threadIdx.x > 0) return;
  values_out[blockIdx.x] = best.value;
  places_out[blockIdx.x] = static_cast<int>(best.place);
}

std::size_t reduction_arg_max_workspace_bytes(int) { return kMaxBlocks * (sizeof(float) + sizeof(int)); }

void reduction_arg_max(const float* in, int n, float* largest, int* place, void* workspace,
                       cudaStream_t stream) {
  const int blocks = std::clamp(lockstep::divide_up(n, kThreads), 1, kMaxBlocks);
  auto* const values = blocks == 1 ? largest : static_cast<float*>(workspace);
  auto* const places = blocks == 1 ? place : reinterpret_cast<int*>(values + kMaxBlocks);
  best_of_blocks_kernel<<<blocks, kThreads, 0, stream>>>(in, nullptr, n, values, places);
  CHECK_CUDA(cudaGetLastError());
  if (blocks == 1) return;
  best_of_blocks_kernel<<<1, kThreads, 0, stream>>>(values, places, blocks, largest, place);
  CHECK_CUDA(cudaGetLastError());
}
