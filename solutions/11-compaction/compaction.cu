// Compaction in a single pass over large tiles, which are gathered in shared memory while a warp looks back,
// the reference. Lecture: 11-compaction.
// Bound: memory bandwidth at 4 bytes per element and 4 per element that is kept, less what is lost where a
// tile waits for the slowest load of all tiles before it; four blocks per multiprocessor have 45 KB in flight
// each. Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA,
// 2016; the groups are those of the reference of 10-scan.
#include "compaction.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kBlocks = 4;                // that a multiprocessor holds
constexpr int kRowElements = 4 * kLanes;  // a warp reads rows of them, one vector per lane
constexpr int kMaxRows = 11;              // what 64 registers hold
constexpr int kGroup = kLanes;            // tiles: one for each lane to look at

/// What tiles publish, all 0 before the kernel starts. A volatile access and an atomicAdd take a word whole:
/// a value is seen together with what it is of, so no fence is needed. The lowest 32 bits are the value.
using Word = unsigned long long;
constexpr Word kTotal = Word{1} << 32;    // in a tile's word: the value is the tile's count
constexpr Word kOneTile = Word{1} << 40;  // in a group's word: each tile adds this and its count
constexpr Word kBefore = Word{1} << 63;   // in a group's word: the count before the group has been added, too

__device__ unsigned value_of(Word word) { return static_cast<unsigned>(word); }
__device__ bool is_complete(Word group_word) { return (group_word & ~kBefore) >= kGroup * kOneTile; }

__device__ unsigned warp_sum(unsigned value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// How many elements are kept before `tile`. Lane l looks at what lies l + 1 places back: a tile of the own
/// group, and a group. All those have started, and the first tile waits for nobody, so the waiting ends.
__device__ unsigned warp_look_back(int tile, const volatile Word* tile_words,
                                   const volatile Word* group_words) {
  const int lane = threadIdx.x % kLanes, place = tile % kGroup, group = tile / kGroup;
  Word neighbour, earlier;
  unsigned known;  // bit l: the count before lane l's group is known
  bool counts;     // the groups up to the nearest whose count before is known
  do {
    // One round trip: neither load needs what the other finds. Before the first group lies nothing.
    neighbour = lane < place ? tile_words[tile - 1 - lane] : kTotal;
    earlier = lane < group ? group_words[group - 1 - lane] : kBefore | kGroup * kOneTile;
    known = __ballot_sync(kAllLanes, (earlier & kBefore) != 0);
    counts = (known & ((1U << lane) - 1)) == 0;
  } while (known == 0 || __any_sync(kAllLanes, neighbour == 0 || (counts && !is_complete(earlier))));
  return warp_sum(value_of(neighbour) + (counts ? value_of(earlier) : 0));
}

/// Four neighbouring elements of an array of n; `first` is a multiple of four. What lies beyond the end is
/// the largest number, which no limit lets pass.
__device__ uint4 load_vector(const std::uint32_t* from, unsigned first, unsigned n) {
  constexpr unsigned kNone = 0xffffffff;
  if (first + 4 <= n) return __ldcs(reinterpret_cast<const uint4*>(from + first));  // read once, never again
  return make_uint4(first < n ? from[first] : kNone, first + 1 < n ? from[first + 1] : kNone,
                    first + 2 < n ? from[first + 2] : kNone, kNone);
}

__device__ unsigned count_of(uint4 vector, std::uint32_t limit) {
  return (vector.x < limit) + (vector.y < limit) + (vector.z < limit) + (vector.w < limit);
}

// [vector-ranks]
/// Stores the elements of a warp's row that are kept at `to` and behind it, in order; returns how many.
__device__ unsigned warp_gather(uint4 vector, std::uint32_t limit, std::uint32_t* to) {
  const bool x = vector.x < limit, y = vector.y < limit, z = vector.z < limit, w = vector.w < limit;
  const unsigned of_x = __ballot_sync(kAllLanes, x), of_y = __ballot_sync(kAllLanes, y);
  const unsigned of_z = __ballot_sync(kAllLanes, z), of_w = __ballot_sync(kAllLanes, w);
  const unsigned lower = (1U << threadIdx.x % kLanes) - 1;  // lanes whose elements come before
  to += __popc(of_x & lower) + __popc(of_y & lower) + __popc(of_z & lower) + __popc(of_w & lower);
  if (x) *to++ = vector.x;
  if (y) *to++ = vector.y;
  if (z) *to++ = vector.z;
  if (w) *to = vector.w;
  return __popc(of_x) + __popc(of_y) + __popc(of_z) + __popc(of_w);
}
// [vector-ranks]

__host__ __device__ constexpr int tile_of(int rows) { return kWarps * rows * kRowElements; }

template <int kRows>
__global__ void __launch_bounds__(kThreads, kBlocks)
    compaction_kernel(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count,
                      int n, volatile Word* tile_words, Word* group_words, Word* started) {
  __shared__ std::uint32_t gathered[tile_of(kRows)];  // the tile keeps the first of them
  __shared__ unsigned warp_counts[kWarps];
  __shared__ unsigned shared_before;
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(started, Word{1}));
  __syncthreads();  // only thread 0 knows the tile
  const int tile = shared_tile;
  // Unsigned: positions beyond the end of the last tile may exceed the largest int.
  const unsigned first =
      static_cast<unsigned>(tile) * tile_of(kRows) + warp * (kRows * kRowElements) + 4 * lane;

  uint4 values[kRows];  // read all before the first is needed, to have many bytes in flight
  for (int row = 0; row < kRows; ++row) values[row] = load_vector(in, first + row * kRowElements, n);
  unsigned own = 0;
  for (int row = 0; row < kRows; ++row) own += count_of(values[row], limit);
  const unsigned warp_count = warp_sum(own);
  if (lane == 0) warp_counts[warp] = warp_count;
  __syncthreads();  // the counts of all warps

  unsigned rank = 0, total = 0;  // of the warp's first element, in what the tile keeps
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) rank = total;
    total += warp_counts[w];
  }
  if (threadIdx.x == 0) {  // before waiting, so that others need not wait for what this tile waits for
    tile_words[tile] = kTotal | total;
    atomicAdd(&group_words[tile / kGroup], kOneTile | total);
  }
  for (int row = 0; row < kRows; ++row) rank += warp_gather(values[row], limit, gathered + rank);
  if (warp == 0) {
    const unsigned before = warp_look_back(tile, tile_words, group_words);
    if (lane == 0) {
      if (tile % kGroup == 0) atomicAdd(&group_words[tile / kGroup], kBefore | before);
      if (tile == gridDim.x - 1) *count = before + total;
      shared_before = before;
    }
  }
  __syncthreads();  // all is gathered, and what lies before the tile is known

  // [aligned-stores]
  // Thread 0 begins at a multiple of 32, at the tile's first position or before it: the lanes of a warp
  // store 128 bytes in 4 sectors, wherever the tile begins.
  const unsigned before = shared_before, shift = before % kLanes;
  for (unsigned i = threadIdx.x; i < total + shift; i += kThreads) {
    if (i >= shift) __stcs(out + (before - shift + i), gathered[i - shift]);
  }
  // [aligned-stores]
}

/// Rows of a warp. Where few tiles are all in flight together, a small one is loaded and published sooner.
int rows_for(int n) {
  constexpr int kFewTiles = 256;
  for (const int rows : {2, 4}) {
    if (n <= kFewTiles * tile_of(rows)) return rows;
  }
  return kMaxRows;
}

/// How many words the workspace holds: one per tile, one per group, and how many tiles have been taken.
struct Words {
  int tiles, groups;
};

Words words_for(int n) {
  const int tiles = lockstep::divide_up(n, tile_of(rows_for(n)));
  return {tiles, lockstep::divide_up(tiles, kGroup)};
}

std::size_t compaction_workspace_bytes(int n) {
  const Words words = words_for(n);
  return (words.tiles + words.groups + 1) * sizeof(Word);
}

void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void* workspace, cudaStream_t stream) {
  if (n == 0) {  // a grid without blocks is an error
    CHECK_CUDA(cudaMemsetAsync(count, 0, sizeof(*count), stream));
    return;
  }
  const Words words = words_for(n);
  Word* const tile_words = static_cast<Word*>(workspace);
  Word* const group_words = tile_words + words.tiles;
  Word* const started = group_words + words.groups;
  // Nothing taken, nothing published.
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, compaction_workspace_bytes(n), stream));
  const int rows = rows_for(n);
  const auto kernel = rows == 2   ? compaction_kernel<2>
                      : rows == 4 ? compaction_kernel<4>
                                  : compaction_kernel<kMaxRows>;
  kernel<<<words.tiles, kThreads, 0, stream>>>(in, limit, out, count, n, tile_words, group_words, started);
  CHECK_CUDA(cudaGetLastError());
}
