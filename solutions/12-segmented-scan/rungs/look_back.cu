// Segmented scan in a single pass: a tile looks back up to the last head before it. Lecture:
// 12-segmented-scan.
// Bound: the waiting, not the 9 bytes per element. A tile of 2048 elements keeps 10 KB in flight, and where
// segments are long it waits for the tiles before it.
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "segmented_scan.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 8;  // that a warp reads, one element per lane
constexpr int kTile = kWarps * kRows * kLanes;

/// Whether a segment begins in a run of elements, and the sum from the last begin on, or of all elements.
struct Pair {
  bool has_head;
  unsigned sum;
};

__device__ Pair combine(Pair left, Pair right) {
  return {left.has_head || right.has_head, right.has_head ? right.sum : left.sum + right.sum};
}

// [states]
/// What a tile has published: a state and a sum in one word of 64 bits, which is written and read in one go.
/// All words are 0 before the kernel starts.
using Word = unsigned long long;
enum State : unsigned {
  kNothing,
  kTotal,  // the sum of a tile without a head: what lies before it is to be added
  kSum     // the sum so far of the segment that is open at the tile's end: nothing is to be added
};

__device__ Word pack(unsigned value, State state) { return Word{state} << 32 | value; }
__device__ unsigned value_of(Word word) { return static_cast<unsigned>(word); }
__device__ unsigned state_of(Word word) { return static_cast<unsigned>(word >> 32); }
// [states]

/// Of the lanes up to this one the last whose bit in `heads` is set; -1 if none is.
__device__ int last_head(unsigned heads) {
  const int lane = threadIdx.x % kLanes;
  return kLanes - 1 - __clz(heads & (kAllLanes >> (kLanes - 1 - lane)));  // __clz(0) is 32
}

/// The sum of the values from the lane in which the own segment begins up to this one.
__device__ unsigned warp_segmented_scan(unsigned value, unsigned heads) {
  const int lane = threadIdx.x % kLanes, first = max(last_head(heads), 0);
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, offset);  // all lanes take part in it
    if (lane - offset >= first) value += left;
  }
  return value;
}

__device__ unsigned warp_sum(unsigned value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

// [look-back]
/// The sum so far of the segment that goes on into `tile`. Lane l looks at the tile l + 1 places back; all
/// those have started.
__device__ unsigned warp_look_back(int tile, const volatile Word* words) {
  const int lane = threadIdx.x % kLanes;
  unsigned before = 0;
  for (int nearest = tile - 1; nearest >= 0; nearest -= kLanes) {
    const int earlier = nearest - lane;
    Word word;
    unsigned sums;  // bit l: lane l's tile needs nothing from before it
    bool counts;    // the tiles up to the nearest of those
    do {
      word = earlier >= 0 ? words[earlier] : pack(0, kSum);  // before the first tile lies nothing
      sums = __ballot_sync(kAllLanes, state_of(word) == kSum);
      counts = (sums & ((1U << lane) - 1)) == 0;
    } while (__any_sync(kAllLanes, counts && state_of(word) == kNothing));
    before += warp_sum(counts ? value_of(word) : 0);
    if (sums != 0) break;
  }
  return before;
}
// [look-back]

__global__ void __launch_bounds__(kThreads)
    segmented_scan_kernel(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out,
                          unsigned n, Word* started, volatile Word* words) {
  __shared__ Pair warp_pairs[kWarps];
  __shared__ unsigned shared_before;
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(started, Word{1}));
  __syncthreads();  // only thread 0 knows the tile
  const int tile = shared_tile;
  // Unsigned: positions beyond the end of the last tile may exceed the largest int.
  const unsigned first = static_cast<unsigned>(tile) * kTile + warp * (kRows * kLanes) + lane;

  unsigned own_values[kRows], heads[kRows];  // of the lane; of all lanes, as the bits of a word
  for (int row = 0; row < kRows; ++row) {
    const unsigned position = first + row * kLanes;
    own_values[row] = position < n ? values[position] : 0;
    heads[row] = __ballot_sync(kAllLanes, position < n && (flags[position] & 1) != 0);
  }
  unsigned any = 0, own = 0;  // the sum of what lies at the last head of the warp or behind it
  for (int row = 0; row < kRows; ++row) {
    if (heads[row] != 0) own = 0;  // another segment begins in this row
    if (lane >= kLanes - 1 - __clz(heads[row])) own += own_values[row];
    any |= heads[row];
  }
  const unsigned warp_total = warp_sum(own);
  if (lane == 0) warp_pairs[warp] = {any != 0, warp_total};
  __syncthreads();  // the pairs of all warps

  // [single-pass]
  if (warp == 0) {
    Pair total{};
    for (const Pair& pair : warp_pairs) total = combine(total, pair);
    // Before waiting. A tile with a head knows the sum that is open at its end, whatever lies before.
    if (lane == 0) words[tile] = pack(total.sum, total.has_head ? kSum : kTotal);
    const unsigned before_tile = warp_look_back(tile, words);
    if (lane == 0) {
      if (!total.has_head) words[tile] = pack(before_tile + total.sum, kSum);
      shared_before = before_tile;
    }
  }
  __syncthreads();  // only the first warp knows what goes on into the tile
  Pair before{false, shared_before};
  for (int w = 0; w < warp; ++w) before = combine(before, warp_pairs[w]);
  // [single-pass]
  unsigned carry = before.sum;  // the sum so far of the segment that goes on into the row
  for (int row = 0; row < kRows; ++row) {
    const unsigned position = first + row * kLanes;
    unsigned sum = warp_segmented_scan(own_values[row], heads[row]);
    if (last_head(heads[row]) < 0) sum += carry;
    if (position < n) out[position] = sum;
    carry = __shfl_sync(kAllLanes, sum, kLanes - 1);
  }
}

std::size_t segmented_scan_workspace_bytes(int n) {
  return (1 + lockstep::divide_up(n, kTile)) * sizeof(Word);
}

void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n,
                    void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  Word* const started = static_cast<Word*>(workspace);
  // Nothing taken, nothing published.
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, segmented_scan_workspace_bytes(n), stream));
  const int tiles = lockstep::divide_up(n, kTile);
  segmented_scan_kernel<<<tiles, kThreads, 0, stream>>>(values, flags, out, n, started, started + 1);
  CHECK_CUDA(cudaGetLastError());
}
