// Compaction in two passes over the input: count what each block keeps, scan the counts, then store. Flags
// are bits of a ballot, and are found again in the second pass. Lecture: 11-compaction. Bound: memory
// bandwidth at 11 bytes per element of which half are kept: `in` is read twice.
#include "compaction.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 8;  // that a warp takes, one element per lane
constexpr int kTile = kWarps * kRows * kLanes;
constexpr int kScanThreads = 1024;

/// The elements of a thread: one in each row of its warp.
struct Rows {
  std::uint32_t values[kRows];
  unsigned kept[kRows];  ///< bit l: the element of lane l is kept
};

// [ballots]
/// Reads the rows of a warp. `warp_count` becomes how many elements of them are kept.
__device__ Rows warp_read(const std::uint32_t* in, std::uint32_t limit, int n, int& warp_count) {
  const int first = blockIdx.x * kTile + threadIdx.x / kLanes * (kRows * kLanes) + threadIdx.x % kLanes;
  Rows rows;
  warp_count = 0;
  for (int row = 0; row < kRows; ++row) {
    const int position = first + row * kLanes;
    rows.values[row] = position < n ? in[position] : 0;
    rows.kept[row] = __ballot_sync(kAllLanes, position < n && rows.values[row] < limit);
    warp_count += __popc(rows.kept[row]);
  }
  return rows;
}
// [ballots]

/// The sum of the counts of the warps before this one; `total` becomes the sum of all.
__device__ int block_exclusive_sum(int warp_count, int& total) {
  __shared__ int warp_counts[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  if (lane == 0) warp_counts[warp] = warp_count;
  __syncthreads();  // the counts of all warps
  int before = 0;
  total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = total;
    total += warp_counts[w];
  }
  return before;
}

// [count-blocks]
__global__ void count_kernel(const std::uint32_t* in, std::uint32_t limit, int n, int* block_counts) {
  int warp_count, total;
  warp_read(in, limit, n, warp_count);
  block_exclusive_sum(warp_count, total);
  if (threadIdx.x == 0) block_counts[blockIdx.x] = total;
}
// [count-blocks]

/// One block, which goes over all counts; each of them becomes the sum of those before it.
__global__ void scan_counts_kernel(int* block_counts, int blocks, std::uint32_t* count) {
  __shared__ int sums[2][kScanThreads];
  const int i = threadIdx.x;
  int before = 0;
  for (int first = 0; first < blocks; first += kScanThreads) {
    const int own = first + i < blocks ? block_counts[first + i] : 0;
    int from = 0;
    sums[from][i] = own;
    __syncthreads();
    for (int offset = 1; offset < kScanThreads; offset *= 2) {
      const int to = 1 - from;
      sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
      __syncthreads();  // the next step writes the buffer that all have finished reading
      from = to;
    }
    if (first + i < blocks) block_counts[first + i] = before + sums[from][i] - own;
    before += sums[from][kScanThreads - 1];
    __syncthreads();  // all have read their sums
  }
  if (i == 0) *count = before;
}

// [scatter-ranks]
__global__ void scatter_kernel(const std::uint32_t* in, std::uint32_t limit, int n, const int* before_block,
                               std::uint32_t* out) {
  const unsigned own = 1U << threadIdx.x % kLanes;
  int warp_count, total;
  const Rows rows = warp_read(in, limit, n, warp_count);
  int before = before_block[blockIdx.x] + block_exclusive_sum(warp_count, total);
  for (int row = 0; row < kRows; ++row) {
    const unsigned kept = rows.kept[row];
    if (kept & own) out[before + __popc(kept & (own - 1))] = rows.values[row];
    before += __popc(kept);
  }
}
// [scatter-ranks]

std::size_t compaction_workspace_bytes(int n) { return lockstep::divide_up(n, kTile) * sizeof(int); }

void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void* workspace, cudaStream_t stream) {
  const int blocks = lockstep::divide_up(n, kTile);
  int* const block_counts = static_cast<int*>(workspace);
  if (blocks > 0) {  // a grid without blocks is an error
    count_kernel<<<blocks, kThreads, 0, stream>>>(in, limit, n, block_counts);
    CHECK_CUDA(cudaGetLastError());
  }
  scan_counts_kernel<<<1, kScanThreads, 0, stream>>>(block_counts, blocks, count);
  CHECK_CUDA(cudaGetLastError());
  if (blocks == 0) return;
  scatter_kernel<<<blocks, kThreads, 0, stream>>>(in, limit, n, block_counts, out);
  CHECK_CUDA(cudaGetLastError());
}
