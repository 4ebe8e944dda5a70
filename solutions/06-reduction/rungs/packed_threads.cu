// fails: shared-wavefronts
// at: if (left < kThreads) values[left] += values[left + distance];
// Reduction by the same tree, in which the first half, quarter, eighth … of the threads goes on.
// Lecture: 06-reduction.
// Bound: shared memory. In step k the values of neighbouring lanes lie 2^k words apart, in fewer and fewer
// banks.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

constexpr int kThreads = 256;  // of a block, each with one element

__global__ void sum_of_block_kernel(const float* in, int n, float* sums) {
  __shared__ float values[kThreads];
  const int thread = threadIdx.x, i = blockIdx.x * kThreads + thread;
  values[thread] = i < n ? in[i] : 0;
  __syncthreads();
  // [packed]
  for (int distance = 1; distance < kThreads; distance *= 2) {
    const int left = 2 * distance * thread;
    if (left < kThreads) values[left] += values[left + distance];
    __syncthreads();
  }
  // [packed]
  if (thread == 0) sums[blockIdx.x] = values[0];
}

/// Of n elements, or of so many sums: at least one, since a block writes the 0 of no elements.
int blocks_for(int n) { return std::max(lockstep::divide_up(n, kThreads), 1); }

std::size_t reduction_workspace_bytes(int n) {
  std::size_t sums = 0;
  for (int blocks = blocks_for(n); blocks > 1; blocks = blocks_for(blocks)) sums += blocks;
  return sums * sizeof(float);
}

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  float* sums = static_cast<float*>(workspace);
  for (int blocks = blocks_for(n);; blocks = blocks_for(n)) {
    sum_of_block_kernel<<<blocks, kThreads, 0, stream>>>(in, n, blocks == 1 ? sum : sums);
    CHECK_CUDA(cudaGetLastError());
    if (blocks == 1) return;
    in = sums;
    n = blocks;
    sums += blocks;
  }
}
