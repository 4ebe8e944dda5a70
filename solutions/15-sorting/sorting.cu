// Sort by four digits of 8 bits, each in a single pass with look-back per digit, the reference.
// Lecture: 15-sorting.
// Bound: memory bandwidth at 4 bytes per key to count and 8 in each pass, 36 in all, with values 68; and in
// practice the instructions that rank the keys, about three per key and pass. Two blocks per multiprocessor
// have up to 55 KB in flight. Source: Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix
// Sort for GPUs", 2022.
#include "sorting.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 384;
constexpr int kWarps = kThreads / kLanes;
constexpr int kBlocks = 2;  // that a multiprocessor holds
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kPasses = 32 / kDigitBits;  // an even number: the last one ends in the output
constexpr int kFewRows = 4;               // of a warp, where there are few keys
constexpr int kManyRows = 18;  // what 80 registers hold: long runs of keys that have the same digit

__device__ unsigned digit_of(std::uint32_t key, int pass) { return key >> kDigitBits * pass & (kDigits - 1); }

// [words]
/// What a tile publishes of each digit, all 0 before the kernel starts: a state in the two highest bits, and
/// a number of keys in the other 30. A volatile access takes a word whole, so no fence is needed. The last
/// tile publishes nothing. So no number exceeds n less one key, which is below 2^30.
enum State : unsigned {
  kNothing,
  kTotal = 1U << 30,  // the number of keys in the tile
  kSum = 2U << 30     // and in all tiles before it
};
constexpr unsigned kNumber = kTotal - 1;

__device__ unsigned number_of(unsigned word) { return word & kNumber; }
__device__ unsigned state_of(unsigned word) { return word & ~kNumber; }
// [words]

// [look-back]
/// How many keys before `tile` have the digit. Those tiles have started, and the first waits for nobody.
__device__ unsigned look_back(int tile, unsigned digit, const volatile unsigned* words) {
  unsigned before = 0, word = kNothing;
  for (int earlier = tile - 1; earlier >= 0 && state_of(word) != kSum; --earlier) {
    do {
      word = words[earlier * kDigits + digit];
    } while (state_of(word) == kNothing);
    before += number_of(word);
  }
  return before;
}
// [look-back]

__device__ unsigned warp_inclusive_scan(unsigned value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

/// Of one value per thread the sum of those of the threads before.
template <int kBlockWarps>
__device__ unsigned block_exclusive_scan(unsigned value) {
  __shared__ unsigned warp_sums[kBlockWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const unsigned inclusive = warp_inclusive_scan(value);
  if (lane == kLanes - 1) warp_sums[warp] = inclusive;
  __syncthreads();  // the sums of all warps
  unsigned before = 0;
  for (int w = 0; w < kBlockWarps; ++w) before += w < warp ? warp_sums[w] : 0;
  return before + inclusive - value;
}

/// Counts the digits of all passes in one read. A block takes every gridDim.x-th piece of the keys.
__global__ void __launch_bounds__(kThreads)
    histogram_kernel(const std::uint32_t* keys, int n, unsigned* histograms) {
  __shared__ unsigned counts[kPasses][kDigits];
  for (int i = threadIdx.x; i < kPasses * kDigits; i += kThreads) counts[i / kDigits][i % kDigits] = 0;
  __syncthreads();  // all is 0
  // [all-histograms]
  const auto count = [](std::uint32_t key) {
    for (int pass = 0; pass < kPasses; ++pass) atomicAdd(&counts[pass][digit_of(key, pass)], 1U);
  };
  const int vectors = n / 4;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < vectors; i += gridDim.x * kThreads) {
    const uint4 four = reinterpret_cast<const uint4*>(keys)[i];
    for (const std::uint32_t key : {four.x, four.y, four.z, four.w}) count(key);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) count(keys[n - 1 - threadIdx.x]);
  // [all-histograms]
  __syncthreads();  // all is counted
  for (int i = threadIdx.x; i < kPasses * kDigits; i += kThreads) {
    const unsigned counted = counts[i / kDigits][i % kDigits];
    if (counted > 0) atomicAdd(&histograms[i], counted);
  }
}

/// A block for each pass: makes of its histogram where the keys of each digit begin.
__global__ void scan_histograms_kernel(unsigned* histograms) {
  unsigned* const place = histograms + blockIdx.x * kDigits + threadIdx.x;
  *place = block_exclusive_scan<kDigits / kLanes>(*place);
}

// [match]
/// The lanes whose keys have the same digit. One ballot for each bit.
__device__ unsigned warp_match(unsigned digit) {
  unsigned same = kAllLanes;
  for (int bit = 0; bit < kDigitBits; ++bit) {
    const bool is_set = (digit >> bit & 1) != 0;
    const unsigned lanes = __ballot_sync(kAllLanes, is_set);
    same &= is_set ? lanes : ~lanes;
  }
  return same;
}
// [match]

__host__ __device__ constexpr int tile_of(int rows) { return kThreads * rows; }

template <int kRows, bool kHasValues>
__global__ void __launch_bounds__(kThreads, kBlocks)
    sweep_kernel(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
                 std::uint32_t* values_out, int n, int pass, const unsigned* digit_starts,
                 volatile unsigned* words, unsigned* started) {
  constexpr int kTile = tile_of(kRows);
  // Counts of each warp and digit, then the keys in the order of their digits, then their values.
  __shared__ std::uint32_t items[kTile > kWarps * kDigits ? kTile : kWarps * kDigits];
  __shared__ unsigned
      places[kDigits];  // in the output, of a digit's first key of the tile, less that in items
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  for (int i = threadIdx.x; i < kWarps * kDigits; i += kThreads) items[i] = 0;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(started, 1U));
  __syncthreads();  // only thread 0 knows the tile, and all counts are 0
  const int tile = shared_tile;
  // Unsigned: positions beyond the end of the last tile may exceed the largest int.
  const unsigned tile_first = static_cast<unsigned>(tile) * kTile;
  const unsigned first = tile_first + warp * (kRows * kLanes) + lane;

  std::uint32_t key[kRows];  // read all before the first is needed, to have many bytes in flight
  for (int row = 0; row < kRows; ++row) {
    const unsigned position = first + row * kLanes;
    // Behind the end: the largest digit in every pass, behind all other keys, so that these stay in their
    // places. The tile counts them too, but it is the last one, whose counts nobody needs.
    key[row] = position < n ? __ldcs(keys + position) : 0xffffffff;
  }
  unsigned* const warp_counts = items + warp * kDigits;
  const unsigned lower = (1U << lane) - 1;  // lanes whose keys come before
  unsigned rank[kRows];                     // in the keys of the warp that have the same digit
  for (int row = 0; row < kRows; ++row) {
    const unsigned digit = digit_of(key[row], pass), same = warp_match(digit);
    const unsigned before = warp_counts[digit];
    __syncwarp();  // all lanes have read the counts
    if ((same & lower) == 0) warp_counts[digit] = before + __popc(same);
    __syncwarp();  // the next row reads them
    rank[row] = before + __popc(same & lower);
  }
  __syncthreads();  // the counts of all warps

  // [digit-totals]
  // A thread for each digit.
  const unsigned digit = threadIdx.x;
  unsigned total = 0;
  if (digit < kDigits) {
    for (int w = 0; w < kWarps; ++w) total += items[w * kDigits + digit];
    // Before all that can wait, so that others need not wait for it.
    if (tile + 1 < gridDim.x) words[tile * kDigits + digit] = (tile == 0 ? kSum : kTotal) | total;
  }
  const unsigned start = block_exclusive_scan<kWarps>(total);  // in items, of the digit's first key
  if (digit < kDigits) {
    unsigned place = start;
    for (int w = 0; w < kWarps; ++w) {
      const unsigned count = items[w * kDigits + digit];
      items[w * kDigits + digit] = place;
      place += count;
    }
  }
  // [digit-totals]
  __syncthreads();  // where the keys of each warp and digit begin
  for (int row = 0; row < kRows; ++row) rank[row] += warp_counts[digit_of(key[row], pass)];
  __syncthreads();  // all have read that, and the same memory is for keys now
  for (int row = 0; row < kRows; ++row) items[rank[row]] = key[row];
  if (digit < kDigits) {
    const unsigned before = look_back(tile, digit, words);
    if (tile > 0 && tile + 1 < gridDim.x) words[tile * kDigits + digit] = kSum | (before + total);
    places[digit] = digit_starts[digit] + before - start;
  }
  std::uint32_t value[kRows];
  if (kHasValues) {
    for (int row = 0; row < kRows; ++row) {
      const unsigned position = first + row * kLanes;
      value[row] = position < n ? __ldcs(values + position) : 0;
    }
  }
  __syncthreads();  // all keys, and where the digits go

  // Threads that are neighbours store keys that are neighbours in the order of their digits: most go to
  // neighbouring places.
  unsigned to[kRows];
  for (int row = 0; row < kRows; ++row) {
    const unsigned i = row * kThreads + threadIdx.x;
    if (tile_first + i >= n) break;
    const std::uint32_t sorted = items[i];
    to[row] = places[digit_of(sorted, pass)] + i;
    keys_out[to[row]] = sorted;
  }
  if (!kHasValues) return;
  __syncthreads();  // all have read their keys, and the same memory is for values now
  for (int row = 0; row < kRows; ++row) items[rank[row]] = value[row];
  __syncthreads();  // all values
  for (int row = 0; row < kRows; ++row) {
    const unsigned i = row * kThreads + threadIdx.x;
    if (tile_first + i < n) values_out[to[row]] = items[i];
  }
}

/// Rows of a warp. Few keys are shared out to more tiles.
int rows_for(int n) {
  constexpr int kFewTiles = 128;
  return n <= kFewTiles * tile_of(kFewRows) ? kFewRows : kManyRows;
}

/// How the workspace is divided: words of all tiles and passes, histograms, tickets, keys and values.
struct Workspace {
  Workspace(void* memory, int n)
      : tiles(lockstep::divide_up(n, tile_of(rows_for(n)))),
        words(static_cast<unsigned*>(memory)),
        histograms(words + std::size_t{kPasses} * kDigits * tiles),
        started(histograms + kPasses * kDigits),
        keys(started + kDigits),  // a multiple of the size of a sector
        values(keys + std::size_t{kThreads} * lockstep::divide_up(n, kThreads)) {}  // likewise

  std::size_t bytes_to_clear() const { return (keys - words) * sizeof(unsigned); }

  int tiles;
  unsigned *words, *histograms, *started;
  std::uint32_t *keys, *values;
};

std::size_t sorting_workspace_bytes(int n) {
  const Workspace empty(nullptr, n);
  return empty.bytes_to_clear() + 2 * (empty.values - empty.keys) * sizeof(std::uint32_t);
}

void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Workspace space(workspace, n);
  // Nothing taken, nothing published, nothing counted.
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, space.bytes_to_clear(), stream));
  constexpr int kMaxBlocks = 1024, kKeysOfBlock = 8192;
  const int blocks = min(lockstep::divide_up(n, kKeysOfBlock), kMaxBlocks);
  histogram_kernel<<<blocks, kThreads, 0, stream>>>(keys, n, space.histograms);
  CHECK_CUDA(cudaGetLastError());
  scan_histograms_kernel<<<kPasses, kDigits, 0, stream>>>(space.histograms);
  CHECK_CUDA(cudaGetLastError());
  const auto kernel =
      rows_for(n) == kFewRows
          ? (has_values != 0 ? sweep_kernel<kFewRows, true> : sweep_kernel<kFewRows, false>)
          : (has_values != 0 ? sweep_kernel<kManyRows, true> : sweep_kernel<kManyRows, false>);
  for (int pass = 0; pass < kPasses; ++pass) {  // from the input, then to and fro, and last to the output
    const bool is_odd = pass % 2 == 1;
    kernel<<<space.tiles, kThreads, 0, stream>>>(
        pass == 0 ? keys
        : is_odd  ? space.keys
                  : keys_out,
        pass == 0 ? values
        : is_odd  ? space.values
                  : values_out,
        is_odd ? keys_out : space.keys, is_odd ? values_out : space.values, n, pass,
        space.histograms + pass * kDigits, space.words + std::size_t{kDigits} * space.tiles * pass,
        space.started + pass);
    CHECK_CUDA(cudaGetLastError());
  }
}
