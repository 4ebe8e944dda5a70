// fails: bytes-per-element
// at: keys_out[place] = key[row];
// Sort by four digits of 8 bits: count the digits of each tile, scan the table of counts, and store each key
// at its place. Lecture: 15-sorting. Bound: a warp's keys go to nearly as many sectors as it has lanes.
// Source: Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sorting.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kPasses = 32 / kDigitBits;  // an even number: the last one ends in the output
constexpr int kThreads = kDigits;         // one for each digit, where digits are looked at
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 16;  // of 32 keys, of each warp
constexpr int kTile = kThreads * kRows;

__device__ unsigned digit_of(std::uint32_t key, int pass) { return key >> kDigitBits * pass & (kDigits - 1); }

__device__ unsigned warp_inclusive_scan(unsigned value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

/// Of one value per thread the sum of those of the threads before; `total` becomes the sum of all.
__device__ unsigned block_exclusive_scan(unsigned value, unsigned& total) {
  __shared__ unsigned warp_sums[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const unsigned inclusive = warp_inclusive_scan(value);
  if (lane == kLanes - 1) warp_sums[warp] = inclusive;
  __syncthreads();  // the sums of all warps
  unsigned before = 0;
  total = 0;
  for (int w = 0; w < kWarps; ++w) {
    before += w < warp ? warp_sums[w] : 0;
    total += warp_sums[w];
  }
  __syncthreads();  // all have read them
  return before + inclusive - value;
}

// [count]
/// Counts the digits of a tile. Row d of the table has the counts of digit d, one for each tile.
__global__ void count_kernel(const std::uint32_t* keys, int n, int pass, unsigned* table) {
  __shared__ unsigned counts[kDigits];
  counts[threadIdx.x] = 0;
  __syncthreads();  // all is 0
  const unsigned first = blockIdx.x * unsigned{kTile} + threadIdx.x;
  for (int row = 0; row < kRows; ++row) {
    const unsigned i = first + row * kThreads;
    if (i < n) atomicAdd(&counts[digit_of(keys[i], pass)], 1U);
  }
  __syncthreads();  // all is counted
  table[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x] = counts[threadIdx.x];
}
// [count]

// [scan-rows]
/// A block for each digit: makes of its row of the table the numbers before each tile, and stores the sum.
__global__ void scan_rows_kernel(unsigned* table, int tiles, unsigned* digit_totals) {
  unsigned* const row = table + std::size_t{blockIdx.x} * tiles;
  unsigned before = 0;
  for (int first = 0; first < tiles; first += kThreads) {
    const int tile = first + threadIdx.x;
    unsigned total;
    const unsigned sum = block_exclusive_scan(tile < tiles ? row[tile] : 0, total);
    if (tile < tiles) row[tile] = before + sum;
    before += total;
  }
  if (threadIdx.x == 0) digit_totals[blockIdx.x] = before;
}
// [scan-rows]

// [rank-in-warp]
/// Of each key of a warp, row by row, how many with the same digit come before it in the warp. `counts`, all
/// 0, becomes how many keys of each digit the warp has.
__device__ void warp_rank(const unsigned (&digit)[kRows], unsigned* counts, unsigned (&rank)[kRows]) {
  const unsigned lower = (1U << threadIdx.x % kLanes) - 1;
  for (int row = 0; row < kRows; ++row) {
    const unsigned same = __match_any_sync(kAllLanes, digit[row]);
    const unsigned before = counts[digit[row]];
    __syncwarp();                                                         // all lanes have read the counts
    if ((same & lower) == 0) counts[digit[row]] = before + __popc(same);  // the first of those lanes
    __syncwarp();                                                         // the next row reads them
    rank[row] = before + __popc(same & lower);
  }
}
// [rank-in-warp]

__global__ void __launch_bounds__(kThreads)
    scatter_kernel(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
                   std::uint32_t* values_out, int n, int has_values, int pass, const unsigned* table,
                   const unsigned* digit_totals) {
  __shared__ unsigned counts[kWarps][kDigits];  // then: where the keys of a warp and a digit begin
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  for (int w = 0; w < kWarps; ++w) counts[w][threadIdx.x] = 0;
  __syncthreads();  // all is 0
  const unsigned first = blockIdx.x * unsigned{kTile} + warp * (kRows * kLanes) + lane;
  std::uint32_t key[kRows];
  unsigned digit[kRows], rank[kRows];
  for (int row = 0; row < kRows; ++row) {
    const unsigned i = first + row * kLanes;
    key[row] = i < n ? keys[i] : 0xffffffff;  // comes behind all others, and is not stored
    digit[row] = digit_of(key[row], pass);
  }
  warp_rank(digit, counts[warp], rank);
  __syncthreads();  // the counts of all warps

  // [places-of-digits]
  // A thread for each digit: before its first key of the tile lie the lower digits, and the tiles before.
  unsigned all;
  unsigned place = block_exclusive_scan(digit_totals[threadIdx.x], all) +
                   table[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x];
  for (int w = 0; w < kWarps; ++w) {
    const unsigned count = counts[w][threadIdx.x];
    counts[w][threadIdx.x] = place;
    place += count;
  }
  __syncthreads();  // where the keys of each warp and digit begin
  // [places-of-digits]
  // [scattered-stores]
  for (int row = 0; row < kRows; ++row) {
    const unsigned i = first + row * kLanes;
    if (i >= n) break;
    const unsigned place = counts[warp][digit[row]] + rank[row];
    keys_out[place] = key[row];
    if (has_values != 0) values_out[place] = values[i];
  }
  // [scattered-stores]
}

/// How the workspace is divided: the table, a total for each digit, keys and values.
struct Workspace {
  Workspace(void* memory, int n)
      : tiles(lockstep::divide_up(n, kTile)),
        table(static_cast<unsigned*>(memory)),
        digit_totals(table + std::size_t{kDigits} * tiles),
        keys(digit_totals + kDigits),
        values(keys + std::size_t{kTile} * tiles) {}

  int tiles;
  unsigned *table, *digit_totals;
  std::uint32_t *keys, *values;
};

std::size_t sorting_workspace_bytes(int n) {
  const std::size_t tiles = lockstep::divide_up(n, kTile);
  return (kDigits * (tiles + 1) + 2 * kTile * tiles) * sizeof(std::uint32_t);
}

void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Workspace space(workspace, n);
  for (int pass = 0; pass < kPasses; ++pass) {  // from the input, then to and fro, and last to the output
    const bool is_odd = pass % 2 == 1;
    const std::uint32_t* const from = pass == 0 ? keys : is_odd ? space.keys : keys_out;
    count_kernel<<<space.tiles, kThreads, 0, stream>>>(from, n, pass, space.table);
    CHECK_CUDA(cudaGetLastError());
    scan_rows_kernel<<<kDigits, kThreads, 0, stream>>>(space.table, space.tiles, space.digit_totals);
    CHECK_CUDA(cudaGetLastError());
    scatter_kernel<<<space.tiles, kThreads, 0, stream>>>(from,
                                                         pass == 0 ? values
                                                         : is_odd  ? space.values
                                                                   : values_out,
                                                         is_odd ? keys_out : space.keys,
                                                         is_odd ? values_out : space.values, n, has_values,
                                                         pass, space.table, space.digit_totals);
    CHECK_CUDA(cudaGetLastError());
  }
}
