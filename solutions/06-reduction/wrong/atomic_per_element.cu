// expect: wrong-answer
// says: what is small beside the sum so far was rounded away
// Every thread adds its element to one float: what is small beside the sum so far is rounded away.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

constexpr int kThreads = 256;

__global__ void add_kernel(const float* in, int n, float* sum) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

std::size_t reduction_workspace_bytes(int) { return 0; }

void reduction(const float* in, int n, float* sum, void*, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
  if (n == 0) return;
  add_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, n, sum);
  CHECK_CUDA(cudaGetLastError());
}
