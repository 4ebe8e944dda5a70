// Reduction by one block where the array is short, and else by as many as an H200 holds and a second launch,
// which begins before the first has ended (programmatic dependent launch). Lecture: 06-reduction. Bound:
// memory bandwidth, 4 bytes per element. The order of additions depends on n alone, so that every call gives
// the same bits.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kInFlight = 4;            // vectors of a thread
constexpr int kMaxBlocks = 528;         // 4 for each of 132 multiprocessors; one block adds up their sums
constexpr int kThreads = 512;           // of each of them
constexpr int kLongestOfOne = 1 << 15;  // elements of an array that one block adds up
constexpr int kMaxThreads = 1024;       // of that block

/// The sum of the values of all lanes, in lane 0.
__device__ float warp_sum(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}

/// The sum of the values of all threads of a block of `Threads`, in thread 0.
template <int Threads>
__device__ float block_sum(float value) {
  constexpr int kWarps = Threads / kLanes;
  __shared__ float sums_of_warps[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const float sum = warp_sum(value);
  if (lane == 0) sums_of_warps[warp] = sum;
  __syncthreads();
  return warp > 0 ? 0 : warp_sum(lane < kWarps ? sums_of_warps[lane] : 0);
}

__device__ float sum_of(float4 vector) { return (vector.x + vector.y) + (vector.z + vector.w); }

/// The sum of what this thread has of an array that begins at a multiple of 16 bytes.
__device__ float sum_of_thread(const float* in, unsigned n) {
  const auto* const vectors = reinterpret_cast<const float4*>(in);
  const unsigned whole = n / 4, first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0;
  float4 loaded[kInFlight];
  unsigned i = first;
  for (; i + (kInFlight - 1) * step < whole; i += kInFlight * step) {
    for (int k = 0; k < kInFlight; ++k) loaded[k] = vectors[i + k * step];
    for (const float4& one : loaded) sum += sum_of(one);
  }
  // What is left, one vector less at most, is in flight together too.
  for (int k = 0; k < kInFlight; ++k) loaded[k] = i + k * step < whole ? vectors[i + k * step] : float4{};
  for (const float4& one : loaded) sum += sum_of(one);
  return first < n % 4 ? sum + in[4 * whole + first] : sum;
}

/// The launch behind this one may begin, with compute capability 9.0: it waits before it reads.
__device__ void let_next_launch_begin() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Until the launch before is complete, and what it stored is visible.
__device__ void wait_for_launch_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

template <int Threads>
__global__ void __launch_bounds__(Threads) sums_of_blocks_kernel(const float* in, unsigned n, float* sums) {
  let_next_launch_begin();
  const float sum = block_sum<Threads>(sum_of_thread(in, n));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads)
    sum_of_sums_kernel(const float* sums, unsigned count, float* sum) {
  wait_for_launch_before();
  const float of_all = block_sum<kThreads>(sum_of_thread(sums, count));
  if (threadIdx.x == 0) *sum = of_all;
}

/// Starts sum_of_sums_kernel early where it was compiled to wait.
void launch_sum_of_sums(const float* sums, unsigned count, float* sum, cudaStream_t stream) {
  constexpr int kVersionThatWaits = 90;
  cudaFuncAttributes compiled{};
  CHECK_CUDA(cudaFuncGetAttributes(&compiled, sum_of_sums_kernel));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = 1;
  launch.blockDim = kThreads;
  launch.stream = stream;
  launch.attrs = &early;
  launch.numAttrs = compiled.ptxVersion >= kVersionThatWaits ? 1 : 0;
  CHECK_CUDA(cudaLaunchKernelEx(&launch, sum_of_sums_kernel, sums, count, sum));
}

std::size_t reduction_workspace_bytes(int) { return kMaxBlocks * sizeof(float); }

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  if (n <= kLongestOfOne) {
    sums_of_blocks_kernel<kMaxThreads><<<1, kMaxThreads, 0, stream>>>(in, n, sum);
    CHECK_CUDA(cudaGetLastError());
    return;
  }
  const unsigned blocks = std::min(lockstep::divide_up(n, 4 * kThreads), kMaxBlocks);
  auto* const sums = static_cast<float*>(workspace);
  sums_of_blocks_kernel<kThreads><<<blocks, kThreads, 0, stream>>>(in, n, sums);
  CHECK_CUDA(cudaGetLastError());
  launch_sum_of_sums(sums, blocks, sum, stream);
}
