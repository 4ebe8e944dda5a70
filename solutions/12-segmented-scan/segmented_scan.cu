// Segmented scan in a single pass over large tiles, which look back at 256 tiles at a time, the reference.
// Lecture: 12-segmented-scan.
// Bound: memory bandwidth at 9 bytes per element, less what is lost where a tile without a head waits for the
// slowest load of all tiles before it; two blocks per multiprocessor have 80 KB in flight each.
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016.
#include "segmented_scan.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kBlocks = 2;                // that a multiprocessor holds
constexpr int kRowElements = 4 * kLanes;  // a warp reads rows of them, one vector per lane
constexpr int kMaxRows = 16;              // what 128 registers hold; their flags are the bits of one word
constexpr int kLooks = 8;                 // tiles that a lane looks at in one round trip

/// Whether a segment begins in a run of elements, and the sum from the last begin on, or of all elements.
struct Pair {
  bool has_head;
  unsigned sum;
};

__device__ Pair combine(Pair left, Pair right) {
  return {left.has_head || right.has_head, right.has_head ? right.sum : left.sum + right.sum};
}

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

/// Whether a lane lies at the last head of its warp or behind it; without a head each lane does.
__device__ bool is_open(unsigned heads) {
  return static_cast<int>(threadIdx.x % kLanes) >= kLanes - 1 - __clz(heads);
}

/// The sum so far of the segment that goes on into `tile`. Lane l looks at the tiles l + 1, l + 33, l + 65
/// and so on places back, all of which have started.
__device__ unsigned warp_look_back(int tile, const volatile Word* words) {
  const int lane = threadIdx.x % kLanes;
  unsigned before = 0;
  for (int nearest = tile - 1 - lane;; nearest -= kLooks * kLanes) {
    unsigned sum;
    bool ends, waits;  // at a tile that needs nothing from before it; for one nearer than that
    // [look-back-far]
    do {
      Word looked_at[kLooks];  // one round trip: no load needs what another finds
      for (int look = 0; look < kLooks; ++look) {
        const int earlier = nearest - look * kLanes;
        looked_at[look] = earlier >= 0 ? words[earlier] : pack(0, kSum);  // before the first lies nothing
      }
      sum = 0;
      ends = waits = false;
      for (const Word word : looked_at) {
        const unsigned sums = __ballot_sync(kAllLanes, state_of(word) == kSum);
        const bool counts = !ends && (sums & ((1U << lane) - 1)) == 0;
        if (counts) sum += value_of(word);
        waits = waits || (counts && state_of(word) == kNothing);
        ends = ends || sums != 0;
      }
    } while (__any_sync(kAllLanes, waits));
    // [look-back-far]
    before += warp_sum(sum);
    if (ends) return before;
  }
}

/// Four neighbouring values of an array of n; `first` is a multiple of four. What lies beyond the end is 0.
__device__ uint4 load_values(const std::uint32_t* values, unsigned first, unsigned n) {
  if (first + 4 <= n) return __ldcs(reinterpret_cast<const uint4*>(values + first));  // read once
  return make_uint4(first < n ? values[first] : 0, first + 1 < n ? values[first + 1] : 0,
                    first + 2 < n ? values[first + 2] : 0, 0);
}

/// Four neighbouring flags, one in each byte.
__device__ unsigned load_flags(const std::uint8_t* flags, unsigned first, unsigned n) {
  if (first + 4 <= n) return __ldcs(reinterpret_cast<const unsigned*>(flags + first));
  return (first < n ? flags[first] : 0U) | (first + 1 < n ? flags[first + 1] : 0U) << 8 |
         (first + 2 < n ? flags[first + 2] : 0U) << 16;
}

__device__ void store_vector(std::uint32_t* to, unsigned first, unsigned n, uint4 sums) {
  if (first + 4 <= n) {
    __stcs(reinterpret_cast<uint4*>(to + first), sums);
  } else {
    if (first < n) to[first] = sums.x;
    if (first + 1 < n) to[first + 1] = sums.y;
    if (first + 2 < n) to[first + 2] = sums.z;
  }
}

// [four-flags]
/// Bit b is the lowest bit of byte b.
__device__ unsigned bits_of(unsigned four_flags) {
  return (four_flags & 1) | (four_flags >> 7 & 2) | (four_flags >> 14 & 4) | (four_flags >> 21 & 8);
}

/// The sum of four elements from the last of them on that has its bit set.
__device__ unsigned open_sum(uint4 value, unsigned bits) {
  unsigned sum = value.w;
  if ((bits & 8) == 0) sum += value.z;
  if ((bits & 12) == 0) sum += value.y;
  if ((bits & 14) == 0) sum += value.x;
  return sum;
}
// [four-flags]

/// Those of all elements of a thread, four for each row.
using Bits = unsigned long long;

__device__ unsigned bits_of_row(Bits bits, int row) { return static_cast<unsigned>(bits >> 4 * row) & 15; }

__host__ __device__ constexpr int tile_of(int rows) { return kWarps * rows * kRowElements; }

template <int kRows>
__global__ void __launch_bounds__(kThreads, kBlocks)
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
  const unsigned first =
      static_cast<unsigned>(tile) * tile_of(kRows) + warp * (kRows * kRowElements) + 4 * lane;

  uint4 vectors[kRows];  // read all before the first is needed, to have many bytes in flight
  unsigned four_flags[kRows];
  for (int row = 0; row < kRows; ++row) {
    vectors[row] = load_values(values, first + row * kRowElements, n);
    four_flags[row] = load_flags(flags, first + row * kRowElements, n);
  }
  Bits bits = 0;
  for (int row = 0; row < kRows; ++row) bits |= Bits{bits_of(four_flags[row])} << 4 * row;
  unsigned any = 0, own = 0;  // the sum of what lies at the last head of the warp or behind it
  for (int row = 0; row < kRows; ++row) {
    const unsigned row_bits = bits_of_row(bits, row), heads = __ballot_sync(kAllLanes, row_bits != 0);
    if (heads != 0) own = 0;  // another segment begins in this row
    if (is_open(heads)) own += open_sum(vectors[row], row_bits);
    any |= heads;
  }
  const unsigned warp_total = warp_sum(own);
  if (lane == 0) warp_pairs[warp] = {any != 0, warp_total};
  __syncthreads();  // the pairs of all warps

  if (warp == 0) {
    const Pair pair = lane < kWarps ? warp_pairs[lane] : Pair{};
    const unsigned heads = __ballot_sync(kAllLanes, pair.has_head);
    const unsigned total = warp_sum(is_open(heads) ? pair.sum : 0);
    // Before waiting. A tile with a head knows the sum that is open at its end, whatever lies before.
    if (lane == 0) words[tile] = pack(total, heads != 0 ? kSum : kTotal);
    const unsigned before_tile = warp_look_back(tile, words);
    if (lane == 0) {
      if (heads == 0) words[tile] = pack(before_tile + total, kSum);
      shared_before = before_tile;
    }
  }
  __syncthreads();  // only the first warp knows what goes on into the tile
  Pair before{false, shared_before};
  for (int w = 0; w < warp; ++w) before = combine(before, warp_pairs[w]);

  // [scan-vectors]
  unsigned carry = before.sum;  // the sum so far of the segment that goes on into the row
  for (int row = 0; row < kRows; ++row) {
    const uint4 value = vectors[row];
    const unsigned row_bits = bits_of_row(bits, row), heads = __ballot_sync(kAllLanes, row_bits != 0);
    unsigned end = warp_segmented_scan(open_sum(value, row_bits), heads);  // the sum open behind the vector
    if (last_head(heads) < 0) end += carry;
    const unsigned left = __shfl_up_sync(kAllLanes, end, 1), start = lane == 0 ? carry : left;
    const unsigned x = value.x + ((row_bits & 1) != 0 ? 0 : start),
                   y = value.y + ((row_bits & 2) != 0 ? 0 : x);
    const unsigned z = value.z + ((row_bits & 4) != 0 ? 0 : y), w = value.w + ((row_bits & 8) != 0 ? 0 : z);
    store_vector(out, first + row * kRowElements, n, make_uint4(x, y, z, w));
    carry = __shfl_sync(kAllLanes, end, kLanes - 1);
  }
  // [scan-vectors]
}

/// Rows of a warp. Where few tiles are all in flight together, a small one is loaded and published sooner.
int rows_for(int n) {
  constexpr int kFewTiles = 256;
  for (const int rows : {2, 4, 8}) {
    if (n <= kFewTiles * tile_of(rows)) return rows;
  }
  return kMaxRows;
}

int tiles_for(int n) { return lockstep::divide_up(n, tile_of(rows_for(n))); }

std::size_t segmented_scan_workspace_bytes(int n) { return (1 + tiles_for(n)) * sizeof(Word); }

void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n,
                    void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  Word* const started = static_cast<Word*>(workspace);
  // Nothing taken, nothing published.
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, segmented_scan_workspace_bytes(n), stream));
  const int rows = rows_for(n);
  const auto kernel = rows == 2   ? segmented_scan_kernel<2>
                      : rows == 4 ? segmented_scan_kernel<4>
                      : rows == 8 ? segmented_scan_kernel<8>
                                  : segmented_scan_kernel<kMaxRows>;
  kernel<<<tiles_for(n), kThreads, 0, stream>>>(values, flags, out, n, started, started + 1);
  CHECK_CUDA(cudaGetLastError());
}
