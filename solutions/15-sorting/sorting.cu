// Sort by four digits of 8 bits, each in a single pass with look-back per digit, the reference.
// Lecture: 15-sorting.
// Bound: memory bandwidth at 4 bytes per key to count and 8 in each pass, 36 in all, with values 68; and in
// practice the instructions that rank the keys. Two blocks per multiprocessor have up to 66 KB in flight.
// Source: Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
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
constexpr int kCountThreads = 1024;

/// Rows of 32 that a warp has in a tile. Few keys are shared out to many tiles. Many have long ones, for long
/// runs of keys with the same digit. On an H200 21 rows are the fastest with values; keys alone gain less
/// than 1 percent by more than 22.
constexpr int kFewRows = 4;
template <bool kHasValues>
constexpr int kManyRows = kHasValues ? 21 : 22;

/// Words that a look-back reads per round trip. 2^28 keys, in rows of 18, take an H200 6.0 ms with 1 and 5.2
/// with 8; with values 7.9 ms with 1 and 8.7 with 8.
template <bool kHasValues>
constexpr int kLooks = kHasValues ? 1 : 8;

/// A byte of the key: one instruction, where a shift and a mask are two.
__device__ unsigned digit_of(std::uint32_t key, int pass) { return __byte_perm(key, 0, 0x4440 + pass); }

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
template <int kWords>
__device__ unsigned look_back(int tile, unsigned digit, const volatile unsigned* words) {
  unsigned before = 0;
  bool has_sum = false;
  for (int earlier = tile - 1; !has_sum;) {
    unsigned word[kWords];  // read all before the first is needed, in one round trip
    for (int i = 0; i < kWords; ++i)
      word[i] = earlier >= i ? words[(earlier - i) * kDigits + digit] : unsigned{kSum};
    while (state_of(word[0]) == kNothing) word[0] = words[earlier * kDigits + digit];
    for (int i = 0; i < kWords; ++i) {
      if (has_sum || state_of(word[i]) == kNothing) break;
      before += number_of(word[i]);
      has_sum = state_of(word[i]) == kSum;
      --earlier;
    }
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

/// Counts the digits of all passes in one read. A digit has kColumns counters, which lanes use in turn. With
/// 32 no two lanes meet, and a lane's counters are all in one bank.
template <int kColumns>
__global__ void __launch_bounds__(kCountThreads)
    histogram_kernel(const std::uint32_t* keys, int n, unsigned* histograms) {
  extern __shared__ unsigned counts[];  // of each pass and digit one for each column
  constexpr int kAllDigits = kPasses * kDigits;
  for (int i = threadIdx.x; i < kAllDigits * kColumns; i += kCountThreads) counts[i] = 0;
  __syncthreads();  // all is 0
  // [all-histograms]
  unsigned* const column = counts + threadIdx.x % kColumns;
  const auto count = [column](std::uint32_t key) {
    for (int pass = 0; pass < kPasses; ++pass)
      atomicAdd(column + (pass * kDigits + digit_of(key, pass)) * kColumns, 1U);
  };
  const auto count_four = [&](uint4 four) {
    for (const std::uint32_t key : {four.x, four.y, four.z, four.w}) count(key);
  };
  const uint4* const vectors = reinterpret_cast<const uint4*>(keys);
  const int step = gridDim.x * kCountThreads;
  int i = blockIdx.x * kCountThreads + threadIdx.x;
  for (; i + step < n / 4; i += 2 * step) {
    const uint4 one = vectors[i], other = vectors[i + step];
    count_four(one);
    count_four(other);
  }
  if (i < n / 4) count_four(vectors[i]);
  if (blockIdx.x == 0 && threadIdx.x < n % 4) count(keys[n - 1 - threadIdx.x]);
  // [all-histograms]
  __syncthreads();  // all is counted
  for (int d = threadIdx.x; d < kAllDigits; d += kCountThreads) {
    unsigned sum = 0;  // each lane begins at another column: they are in different banks
    for (int c = 0; c < kColumns; ++c) sum += counts[d * kColumns + (c + threadIdx.x) % kColumns];
    if (sum > 0) atomicAdd(&histograms[d], sum);
  }
}

/// A block for each pass: makes of its histogram where the keys of each digit begin.
__global__ void scan_histograms_kernel(unsigned* histograms) {
  unsigned* const place = histograms + blockIdx.x * kDigits + threadIdx.x;
  *place = block_exclusive_scan<kDigits / kLanes>(*place);
}

// [match]
/// The lanes whose keys have the same digit: those that agree in all bits. In PTX, as a complement that is
/// predicated takes one instruction. With `is_set ? lanes : ~lanes` in C++ 2^28 keys, in rows of 18, took an
/// H200 6.5 ms in place of 5.4.
__device__ unsigned warp_match(unsigned digit) {
  unsigned same = kAllLanes;
  for (int bit = 0; bit < kDigitBits; ++bit) {
    unsigned lanes;
    asm volatile(
        "{ .reg .pred is_set; .reg .b32 own;\n"
        "and.b32 own, %1, %2;\n"
        "setp.ne.u32 is_set, own, 0;\n"
        "vote.sync.ballot.b32 %0, is_set, 0xffffffff;\n"
        "@!is_set not.b32 %0, %0; }"
        : "=r"(lanes)
        : "r"(digit), "r"(1U << bit));
    same &= lanes;
  }
  return same;
}
// [match]

/// Reads a lane's elements of a tile, from `first` on; `left` are those of the array from there on. All loads
/// begin before the first is needed, to have many bytes in flight.
template <int kRows>
__device__ void load_rows(const std::uint32_t* first, int left, std::uint32_t filler,
                          std::uint32_t (&row)[kRows]) {
  if (left > (kRows - 1) * kLanes) {
    for (int i = 0; i < kRows; ++i) row[i] = __ldcs(first + i * kLanes);
  } else {
    for (int i = 0; i < kRows; ++i) row[i] = i * kLanes < left ? __ldcs(first + i * kLanes) : filler;
  }
}

__host__ __device__ constexpr int tile_of(int rows) { return kThreads * rows; }

/// Counts of each warp and digit; the keys in the order of their digits, and their values.
template <int kRows, bool kHasValues>
constexpr int kSharedBytes = (kWarps * kDigits + tile_of(kRows) * (kHasValues ? 2 : 1)) * 4;

template <int kRows, bool kHasValues>
__global__ void __launch_bounds__(kThreads, kBlocks)
    sweep_kernel(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
                 std::uint32_t* values_out, int n, int pass, const unsigned* digit_starts,
                 volatile unsigned* words, unsigned* started) {
  constexpr int kTile = tile_of(kRows);
  extern __shared__ unsigned counts[];
  std::uint32_t *const tile_keys = counts + kWarps * kDigits, *const tile_values = tile_keys + kTile;
  // In the output, of a digit's first key of the tile, less that in tile_keys.
  __shared__ unsigned places[kDigits];
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  for (int i = threadIdx.x; i < kWarps * kDigits; i += kThreads) counts[i] = 0;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(started, 1U));
  __syncthreads();  // only thread 0 knows the tile, and all counts are 0
  const int tile = shared_tile;
  const bool is_last = tile + 1 == gridDim.x;
  const int tile_first = tile * kTile, in_tile = warp * (kRows * kLanes) + lane;
  const int left = n - tile_first;

  // Behind the end: the largest digit in every pass, behind all other keys, so that these stay in their
  // places. The tile counts them too, but it is the last one, whose counts nobody needs.
  std::uint32_t key[kRows];
  load_rows(keys + tile_first + in_tile, left - in_tile, 0xffffffff, key);
  unsigned* const warp_counts = counts + warp * kDigits;
  const unsigned lower = (1U << lane) - 1;  // lanes whose keys come before
  unsigned rank[kRows];                     // in the keys of the warp that have the same digit
  for (int row = 0; row < kRows; ++row) {
    const unsigned digit = digit_of(key[row], pass), same = warp_match(digit);
    const unsigned before = warp_counts[digit];
    __syncwarp();  // all lanes have read the counts
    rank[row] = before + __popc(same & lower);
    if (same >> lane == 1) warp_counts[digit] = rank[row] + 1;  // the last of those lanes
    __syncwarp();                                               // the next row reads them
  }
  __syncthreads();  // the counts of all warps

  // [digit-totals]
  // A thread for each digit.
  const unsigned digit = threadIdx.x;
  unsigned total = 0, count[kWarps];
  if (digit < kDigits) {
    for (int w = 0; w < kWarps; ++w) total += count[w] = counts[w * kDigits + digit];
    // Before all that can wait, so that others need not wait for it.
    if (!is_last) words[tile * kDigits + digit] = (tile == 0 ? kSum : kTotal) | total;
  }
  const unsigned start = block_exclusive_scan<kWarps>(total);  // in tile_keys, of the digit's first key
  if (digit < kDigits) {
    unsigned place = start;
    for (int w = 0; w < kWarps; ++w) {
      counts[w * kDigits + digit] = place;
      place += count[w];
    }
  }
  // [digit-totals]
  __syncthreads();  // where the keys of each warp and digit begin
  for (int row = 0; row < kRows; ++row) {
    rank[row] += warp_counts[digit_of(key[row], pass)];
    tile_keys[rank[row]] = key[row];
  }
  std::uint32_t value[kRows];
  if (kHasValues) load_rows(values + tile_first + in_tile, left - in_tile, 0, value);
  if (digit < kDigits) {
    const unsigned before = look_back<kLooks<kHasValues>>(tile, digit, words);
    if (tile > 0 && !is_last) words[tile * kDigits + digit] = kSum | (before + total);
    places[digit] = digit_starts[digit] + before - start;
  }
  if (kHasValues) {
    for (int row = 0; row < kRows; ++row) tile_values[rank[row]] = value[row];
  }
  __syncthreads();  // all keys and values, and where the digits go

  // Threads that are neighbours store keys that are neighbours in the order of their digits: most go to
  // neighbouring places.
  for (int row = 0; row < kRows; ++row) {
    const int i = row * kThreads + threadIdx.x;
    if (i >= left) break;
    const std::uint32_t sorted = tile_keys[i];
    const unsigned to = places[digit_of(sorted, pass)] + i;
    keys_out[to] = sorted;
    if (kHasValues) values_out[to] = tile_values[i];
  }
}

bool has_few(int n) {
  constexpr int kFewTiles = 128;
  return n <= kFewTiles * tile_of(kFewRows);
}

int tiles_for(int n, bool has_values) {
  const int many_rows = has_values ? kManyRows<true> : kManyRows<false>;
  return lockstep::divide_up(n, tile_of(has_few(n) ? kFewRows : many_rows));
}

/// How the workspace is divided: words of all tiles and passes, histograms, tickets, keys and values.
struct Workspace {
  Workspace(void* memory, int n, bool has_values)
      : tiles(tiles_for(n, has_values)),
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
  const Workspace empty(nullptr, n, true);  // with values there are no fewer tiles
  return empty.bytes_to_clear() + 2 * (empty.values - empty.keys) * sizeof(std::uint32_t);
}

constexpr int counter_bytes(int columns) { return kPasses * kDigits * columns * 4; }

template <int kColumns>
void count_digits(const std::uint32_t* keys, int n, unsigned* histograms, int most_blocks,
                  cudaStream_t stream) {
  constexpr int kBytes = counter_bytes(kColumns), kKeysOfBlock = 8192;
  const auto kernel = histogram_kernel<kColumns>;
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const int blocks = min(lockstep::divide_up(n, kKeysOfBlock), most_blocks);
  kernel<<<blocks, kCountThreads, kBytes, stream>>>(keys, n, histograms);
  CHECK_CUDA(cudaGetLastError());
}

template <int kRows, bool kHasValues>
void sweep(const Workspace& space, const std::uint32_t* keys, const std::uint32_t* values,
           std::uint32_t* keys_out, std::uint32_t* values_out, int n, cudaStream_t stream) {
  constexpr int kBytes = kSharedBytes<kRows, kHasValues>;
  const auto kernel = sweep_kernel<kRows, kHasValues>;
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  for (int pass = 0; pass < kPasses; ++pass) {  // from the input, then to and fro, and last to the output
    const bool is_odd = pass % 2 == 1;
    kernel<<<space.tiles, kThreads, kBytes, stream>>>(
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

int attribute(cudaDeviceAttr wanted) {
  int device, value;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&value, wanted, device));
  return value;
}

void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Workspace space(workspace, n, has_values != 0);
  // Nothing taken, nothing published, nothing counted.
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, space.bytes_to_clear(), stream));
  // Counters for each lane take 128 KB, which not every GPU has for a block.
  const bool has_room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >= counter_bytes(kLanes);
  const auto count = !has_few(n) && has_room ? count_digits<kLanes> : count_digits<1>;
  count(keys, n, space.histograms, attribute(cudaDevAttrMultiProcessorCount), stream);
  scan_histograms_kernel<<<kPasses, kDigits, 0, stream>>>(space.histograms);
  CHECK_CUDA(cudaGetLastError());
  const auto sweep_all =
      has_few(n) ? (has_values != 0 ? sweep<kFewRows, true> : sweep<kFewRows, false>)
                 : (has_values != 0 ? sweep<kManyRows<true>, true> : sweep<kManyRows<false>, false>);
  sweep_all(space, keys, values, keys_out, values_out, n, stream);
}
