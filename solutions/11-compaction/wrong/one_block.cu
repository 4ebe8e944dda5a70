// expect: inefficient
// fails: parallelism
// One block goes over the whole array: each element is read once and none stored twice, and nobody helps it.
#include "compaction.h"
#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / kLanes;

__global__ void compaction_kernel(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out,
                                  std::uint32_t* count, int n) {
  __shared__ int warp_counts[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  int before = 0;
  for (int first = 0; first < n; first += kThreads) {
    const int i = first + threadIdx.x;
    const std::uint32_t value = i < n ? in[i] : 0;
    const unsigned kept = __ballot_sync(kAllLanes, i < n && value < limit), own = 1U << lane;
    if (lane == 0) warp_counts[warp] = __popc(kept);
    __syncthreads();  // the counts of all warps
    int rank = __popc(kept & (own - 1)), total = 0;
    for (int w = 0; w < kWarps; ++w) {
      rank += w < warp ? warp_counts[w] : 0;
      total += warp_counts[w];
    }
    if (kept & own) out[before + rank] = value;
    before += total;
    __syncthreads();  // all have read the counts
  }
  if (threadIdx.x == 0) *count = before;
}

std::size_t compaction_workspace_bytes(int) { return 0; }

void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void*, cudaStream_t stream) {
  compaction_kernel<<<1, kThreads, 0, stream>>>(in, limit, out, count, n);
  CHECK_CUDA(cudaGetLastError());
}
