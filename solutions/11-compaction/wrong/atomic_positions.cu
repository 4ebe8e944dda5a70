// expect: wrong-answer
// says: these are the right elements in another order
// Each element that is kept draws its place from a counter: no two get the same, and their order is lost.
#include "compaction.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void compaction_kernel(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out,
                                  std::uint32_t* count, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n && in[i] < limit) out[atomicAdd(count, 1U)] = in[i];
}

std::size_t compaction_workspace_bytes(int) { return 0; }

void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void*, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(count, 0, sizeof(*count), stream));
  if (n == 0) return;  // a grid without blocks is an error
  compaction_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, limit, out, count, n);
  CHECK_CUDA(cudaGetLastError());
}
