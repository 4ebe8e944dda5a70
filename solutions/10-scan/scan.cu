// Scan in a single pass over large tiles that look back in one round trip, the reference. Lecture: 10-scan.
// Bound: memory bandwidth at 8 bytes an element, less what is lost where a tile waits for the slowest load of
// all tiles before it; two blocks a multiprocessor, with 90 KB on their way each, hide most of that.
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016; the
// groups are an addition.
#include "scan.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kLanes;
constexpr int kBlocks = 2;  // that a multiprocessor holds: more, smaller tiles would wait for more others
constexpr int kRowElements = 4 * kLanes;  // a warp reads rows of them, a vector a lane
constexpr int kMostRows = 11;             // what 64 registers hold
constexpr int kGroup = kLanes;            // tiles: one for each lane to look at

// [words]
/// What tiles tell, all 0 before the kernel starts. A volatile access and an atomicAdd take a word whole: a
/// value is seen together with what it is of, so no fence is needed. The lowest 32 bits are the value.
using Word = unsigned long long;
constexpr Word kTotal = Word{1} << 32;    // in a tile's word: the value is the tile's total
constexpr Word kOneTile = Word{1} << 40;  // in a group's word: each tile adds this and its total
constexpr Word kBefore = Word{1} << 63;   // in a group's word: the sum before the group has been added, too
// 32 totals and a sum before, each below 2^32, stay below 2^40: no carry reaches the count of tiles.

__device__ unsigned value_of(Word word) { return static_cast<unsigned>(word); }
__device__ bool is_complete(Word group_word) { return (group_word & ~kBefore) >= kGroup * kOneTile; }
// [words]

// Sums are unsigned: those of elements that are no neighbours may leave the range of an int, and must wrap.
__device__ unsigned warp_inclusive_scan(unsigned value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

__device__ unsigned warp_sum(unsigned value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

// [look-back-by-groups]
/// The sum of everything before `tile`. Lane l looks at what lies l + 1 places back: a tile of the own group,
/// and a group. All those have started, and the first tile of all waits for nobody, so the waiting ends.
__device__ unsigned warp_look_back(int tile, const volatile Word* tile_words,
                                   const volatile Word* group_words) {
  const int lane = threadIdx.x % kLanes, place = tile % kGroup, group = tile / kGroup;
  Word neighbour, earlier;
  unsigned known;  // bit l: the sum before lane l's group is known
  bool counts;     // the groups up to the nearest whose sum before is known
  do {
    // One round trip: neither load needs what the other finds. Before the first group lies nothing.
    neighbour = lane < place ? tile_words[tile - 1 - lane] : kTotal;
    earlier = lane < group ? group_words[group - 1 - lane] : kBefore | kGroup * kOneTile;
    known = __ballot_sync(kAllLanes, (earlier & kBefore) != 0);
    counts = (known & ((1U << lane) - 1)) == 0;
  } while (known == 0 || __any_sync(kAllLanes, neighbour == 0 || (counts && !is_complete(earlier))));
  return warp_sum(value_of(neighbour) + (counts ? value_of(earlier) : 0));
}
// [look-back-by-groups]

__device__ unsigned sum_of(uint4 vector) { return vector.x + vector.y + vector.z + vector.w; }

// [streaming]
/// Four neighbouring elements of an array of n; `first` is a multiple of four. What lies beyond the end is 0.
__device__ uint4 load_vector(const int* from, unsigned first, unsigned n) {
  if (first + 4 <= n) return __ldcs(reinterpret_cast<const uint4*>(from + first));  // read once, never again
  return make_uint4(first < n ? from[first] : 0, first + 1 < n ? from[first + 1] : 0,
                    first + 2 < n ? from[first + 2] : 0, 0);
}
// [streaming]

__device__ void store_vector(int* to, unsigned first, unsigned n, uint4 values) {
  if (first + 4 <= n) {
    __stcs(reinterpret_cast<uint4*>(to + first), values);
  } else {
    if (first < n) to[first] = static_cast<int>(values.x);
    if (first + 1 < n) to[first + 1] = static_cast<int>(values.y);
    if (first + 2 < n) to[first + 2] = static_cast<int>(values.z);
  }
}

__host__ __device__ constexpr int tile_of(int rows) { return kWarps * rows * kRowElements; }

template <int kRows>
__global__ void __launch_bounds__(kThreads, kBlocks)
    scan_kernel(const int* in, int* out, int n, volatile Word* tile_words, Word* group_words, Word* started) {
  __shared__ unsigned warp_totals[kWarps];
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

  // [total-first]
  uint4 values[kRows];  // read all before the first is needed, to have many bytes on their way
  for (int row = 0; row < kRows; ++row) values[row] = load_vector(in, first + row * kRowElements, n);
  unsigned own = 0;
  for (int row = 0; row < kRows; ++row) own += sum_of(values[row]);
  const unsigned warp_total = warp_sum(own);
  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();  // the totals of all warps
  // [total-first]

  // [tell-twice]
  if (warp == 0) {
    const unsigned tile_total = warp_sum(lane < kWarps ? warp_totals[lane] : 0);
    if (lane == 0) {  // before waiting, so that others need not wait for what this tile waits for
      tile_words[tile] = kTotal | tile_total;
      atomicAdd(&group_words[tile / kGroup], kOneTile | tile_total);
    }
    const unsigned before_tile = warp_look_back(tile, tile_words, group_words);
    if (lane == 0) {
      if (tile % kGroup == 0) atomicAdd(&group_words[tile / kGroup], kBefore | before_tile);
      shared_before = before_tile;
    }
  }
  unsigned before = 0;
  for (int w = 0; w < warp; ++w) before += warp_totals[w];
  __syncthreads();  // only the first warp knows what lies before the tile
  before += shared_before;
  // [tell-twice]

  // [scan-last]
  for (int row = 0; row < kRows; ++row) {
    const uint4 value = values[row];
    const unsigned vector_total = sum_of(value), inclusive = warp_inclusive_scan(vector_total);
    const unsigned x = before + inclusive - vector_total, y = x + value.x, z = y + value.y, w = z + value.z;
    store_vector(out, first + row * kRowElements, n, make_uint4(x, y, z, w));
    before += __shfl_sync(kAllLanes, inclusive, kLanes - 1);
  }
  // [scan-last]
}

// [tile-for-length]
/// Rows of a warp. Where few tiles are all on their way together, a small one is loaded and told sooner.
int rows_for(int n) {
  constexpr int kFewTiles = 256;
  for (const int rows : {2, 4}) {
    if (n <= kFewTiles * tile_of(rows)) return rows;
  }
  return kMostRows;
}
// [tile-for-length]

/// How many words the workspace holds: one a tile, one a group, and how many tiles have been taken.
struct Words {
  int tiles, groups;
};

Words words_for(int n) {
  const int tiles = lockstep::divide_up(n, tile_of(rows_for(n)));
  return {tiles, lockstep::divide_up(tiles, kGroup)};
}

std::size_t scan_workspace_bytes(int n) {
  const Words words = words_for(n);
  return (words.tiles + words.groups + 1) * sizeof(Word);
}

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Words words = words_for(n);
  Word* const tile_words = static_cast<Word*>(workspace);
  Word* const group_words = tile_words + words.tiles;
  Word* const started = group_words + words.groups;
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, scan_workspace_bytes(n), stream));  // nothing taken, nothing told
  const int rows = rows_for(n);
  const auto kernel = rows == 2 ? scan_kernel<2> : rows == 4 ? scan_kernel<4> : scan_kernel<kMostRows>;
  kernel<<<words.tiles, kThreads, 0, stream>>>(in, out, n, tile_words, group_words, started);
  CHECK_CUDA(cudaGetLastError());
}
