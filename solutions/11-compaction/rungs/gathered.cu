// Compaction in a single pass whose stores are coalesced: a tile gathers what it keeps in shared memory
// before it knows where that belongs. Lecture: 11-compaction. Bound: the waiting. Loads of 4 bytes per lane,
// 8 of them, are few bytes in flight for each tile that waits. Source: Merrill and Garland, "Single-pass
// Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016.
#include "compaction.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 8;  // that a warp takes, one element per lane
constexpr int kTile = kWarps * kRows * kLanes;

/// What a tile has published: a flag and a value in one word of 64 bits, which is written and read in one go.
/// So neither can be seen without the other, and no fence is needed. All are 0 before the kernel starts.
using Word = unsigned long long;
enum Flag : unsigned { kNothing, kTotal, kSum };  // of the tile alone, or of everything up to its end

__device__ Word pack(unsigned value, Flag flag) { return Word{flag} << 32 | value; }
__device__ unsigned value_of(Word word) { return static_cast<unsigned>(word); }
__device__ unsigned flag_of(Word word) { return static_cast<unsigned>(word >> 32); }

__device__ unsigned warp_sum(unsigned value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// How many elements are kept before `tile`. Lane l looks at the tile l + 1 places back; those have started.
__device__ unsigned warp_look_back(int tile, const volatile Word* words) {
  unsigned before = 0;
  for (int nearest = tile - 1; nearest >= 0; nearest -= kLanes) {
    const int earlier = nearest - static_cast<int>(threadIdx.x % kLanes);
    Word word;
    do {
      word = earlier >= 0 ? words[earlier] : pack(0, kSum);  // before the first tile lies nothing
    } while (__any_sync(kAllLanes, flag_of(word) == kNothing));
    const unsigned sums = __ballot_sync(kAllLanes, flag_of(word) == kSum);
    // The totals of the lanes before the first that knows a sum, and that sum; without one, all the totals.
    const bool counts = (sums & ((1U << (threadIdx.x % kLanes)) - 1)) == 0;
    before += warp_sum(counts ? value_of(word) : 0);
    if (sums != 0) break;
  }
  return before;
}

__global__ void __launch_bounds__(kThreads)
    compaction_kernel(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count,
                      int n, Word* started, volatile Word* words) {
  __shared__ std::uint32_t gathered[kTile];  // the elements that the tile keeps, in their order
  __shared__ unsigned warp_counts[kWarps];
  __shared__ unsigned shared_before, shared_total;
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const unsigned own = 1U << lane;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(started, Word{1}));
  __syncthreads();  // only thread 0 knows the tile
  const int tile = shared_tile;

  const int first = tile * kTile + warp * (kRows * kLanes) + lane;
  std::uint32_t values[kRows];
  unsigned kept[kRows];  // bit l: the element of lane l is kept
  unsigned warp_count = 0;
  for (int row = 0; row < kRows; ++row) {
    const int position = first + row * kLanes;
    values[row] = position < n ? in[position] : 0;
    kept[row] = __ballot_sync(kAllLanes, position < n && values[row] < limit);
    warp_count += __popc(kept[row]);
  }
  if (lane == 0) warp_counts[warp] = warp_count;
  __syncthreads();  // the counts of all warps

  if (warp == 0) {
    const unsigned total = warp_sum(lane < kWarps ? warp_counts[lane] : 0);
    // Before waiting, so that others need not wait for what this tile waits for.
    if (lane == 0) words[tile] = pack(total, kTotal);
    const unsigned before_tile = warp_look_back(tile, words);
    if (lane == 0) {
      words[tile] = pack(before_tile + total, kSum);
      shared_before = before_tile;
      shared_total = total;
      if (tile == gridDim.x - 1) *count = before_tile + total;
    }
  }
  // [gather]
  unsigned rank = 0;  // in the tile; the other warps need not know what lies before it
  for (int w = 0; w < warp; ++w) rank += warp_counts[w];
  for (int row = 0; row < kRows; ++row) {
    if (kept[row] & own) gathered[rank + __popc(kept[row] & (own - 1))] = values[row];
    rank += __popc(kept[row]);
  }
  __syncthreads();  // all is gathered, and what lies before the tile is known
  std::uint32_t* const to = out + shared_before;
  for (unsigned i = threadIdx.x; i < shared_total; i += kThreads) to[i] = gathered[i];
  // [gather]
}

std::size_t compaction_workspace_bytes(int n) { return (1 + lockstep::divide_up(n, kTile)) * sizeof(Word); }

void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void* workspace, cudaStream_t stream) {
  if (n == 0) {  // a grid without blocks is an error
    CHECK_CUDA(cudaMemsetAsync(count, 0, sizeof(*count), stream));
    return;
  }
  Word* const started = static_cast<Word*>(workspace);
  // Nothing taken, nothing published.
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, compaction_workspace_bytes(n), stream));
  const int tiles = lockstep::divide_up(n, kTile);
  compaction_kernel<<<tiles, kThreads, 0, stream>>>(in, limit, out, count, n, started, started + 1);
  CHECK_CUDA(cudaGetLastError());
}
