// Reduction in which each thread adds many elements before its block adds any. Lecture: 06-reduction.
// Bound: memory bandwidth; but each thread waits for a load before it issues the next.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 1024;  // whose sums one block adds up

__global__ void sums_of_blocks_kernel(const float* in, unsigned n, float* sums) {
  __shared__ float values[kThreads];
  const int thread = threadIdx.x;
  // [many-elements]
  float own = 0;
  for (unsigned i = blockIdx.x * kThreads + thread; i < n; i += gridDim.x * kThreads) own += in[i];
  values[thread] = own;
  // [many-elements]
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) values[thread] += values[thread + half];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = values[0];
}

std::size_t reduction_workspace_bytes(int) { return kMaxBlocks * sizeof(float); }

// [two-launches]
void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  const int blocks = std::clamp(lockstep::divide_up(n, kThreads), 1, kMaxBlocks);
  float* const sums = blocks == 1 ? sum : static_cast<float*>(workspace);
  sums_of_blocks_kernel<<<blocks, kThreads, 0, stream>>>(in, n, sums);
  CHECK_CUDA(cudaGetLastError());
  if (blocks == 1) return;
  sums_of_blocks_kernel<<<1, kThreads, 0, stream>>>(sums, blocks, sum);
  CHECK_CUDA(cudaGetLastError());
}
// [two-launches]
