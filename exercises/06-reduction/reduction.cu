// Add up an array: the file that you hand in. The task is in README.md, the interface in reduction.h.
#include "reduction.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;  // of a block, each with one element

/// Stores the sum of each block's elements.
__global__ void sum_of_block_kernel(const float* in, int n, float* sums) {
  __shared__ float values[kThreads];
  const int thread = threadIdx.x, i = blockIdx.x * kThreads + thread;
  values[thread] = i < n ? in[i] : 0;
  __syncthreads();
  if (thread == 0) {
    float sum = 0;
    for (int other = 0; other < kThreads; ++other) sum += values[other];
    sums[blockIdx.x] = sum;
  }
}

std::size_t reduction_workspace_bytes(int n) { return lockstep::divide_up(n, kThreads) * sizeof(float); }

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(n, kThreads);
  float* const sums = blocks == 1 ? sum : static_cast<float*>(workspace);
  sum_of_block_kernel<<<blocks, kThreads, 0, stream>>>(in, n, sums);
  CHECK_CUDA(cudaGetLastError());
  // TODO: without elements the sum is 0, which nothing has written. With more than one block the sums of the
  // blocks are in the workspace: add them up too. Then let more than one thread of a block add.
}
