// Scan in a single pass: flag and value in one word, elements in vectors of 16 bytes. Lecture: 10-scan.
// Bound: the waiting. A look at 32 tiles is one round trip to memory, but many more tiles are on their way at
// a time; so a tile makes several round trips, one after the other, while its block holds its place.
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "scan.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 8;  // that a warp reads: a row is one vector of four elements a lane
constexpr int kRowElements = 4 * kLanes;
constexpr int kTile = kWarps * kRows * kRowElements;

// [packed-word]
/// What a tile has told: a flag and a value in one word of 64 bits, which is written and read in one go. So
/// neither can be seen without the other, and no fence is needed. All words are 0 before the kernel starts.
using Word = unsigned long long;
enum Flag : unsigned { kNothing, kTotal, kSum };  // the tile alone, or everything up to its end

__device__ Word pack(unsigned value, Flag flag) { return Word{flag} << 32 | value; }
__device__ unsigned value_of(Word word) { return static_cast<unsigned>(word); }
__device__ unsigned flag_of(Word word) { return static_cast<unsigned>(word >> 32); }
// [packed-word]

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

// [warp-look-back]
/// The sum of everything before `tile`. Lane l looks at the tile l + 1 places back; all those have started.
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
// [warp-look-back]

/// Four neighbouring elements of an array of n; `first` is a multiple of four. What lies beyond the end is 0.
__device__ uint4 load_vector(const int* from, unsigned first, unsigned n) {
  if (first + 4 <= n) return *reinterpret_cast<const uint4*>(from + first);
  return make_uint4(first < n ? from[first] : 0, first + 1 < n ? from[first + 1] : 0,
                    first + 2 < n ? from[first + 2] : 0, 0);
}

__device__ void store_vector(int* to, unsigned first, unsigned n, uint4 values) {
  if (first + 4 <= n) {
    *reinterpret_cast<uint4*>(to + first) = values;
  } else {
    if (first < n) to[first] = static_cast<int>(values.x);
    if (first + 1 < n) to[first + 1] = static_cast<int>(values.y);
    if (first + 2 < n) to[first + 2] = static_cast<int>(values.z);
  }
}

// The bound: a thread may have four times the registers that it would have in a block of 1024.
__global__ void __launch_bounds__(kThreads)
    scan_kernel(const int* in, int* out, int n, Word* started, volatile Word* words) {
  __shared__ unsigned warp_totals[kWarps];
  __shared__ unsigned shared_before;
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(started, Word{1}));
  __syncthreads();  // only thread 0 knows the tile
  const int tile = shared_tile;
  // Unsigned: positions beyond the end of the last tile may exceed the largest int.
  const unsigned first = static_cast<unsigned>(tile) * kTile + warp * (kRows * kRowElements) + 4 * lane;

  // [scan-rows]
  uint4 values[kRows];  // read all before the first is needed, to have many bytes on their way
  for (int row = 0; row < kRows; ++row) values[row] = load_vector(in, first + row * kRowElements, n);
  unsigned sums[kRows];  // of what lies before the vector in the warp's rows
  unsigned warp_total = 0;
  for (int row = 0; row < kRows; ++row) {
    const unsigned own = values[row].x + values[row].y + values[row].z + values[row].w;
    const unsigned inclusive = warp_inclusive_scan(own);
    sums[row] = warp_total + inclusive - own;
    warp_total += __shfl_sync(kAllLanes, inclusive, kLanes - 1);
  }
  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();  // the totals of all warps
  // [scan-rows]

  if (warp == 0) {
    const unsigned tile_total = warp_sum(lane < kWarps ? warp_totals[lane] : 0);
    // Before waiting, so that others need not wait for what this tile waits for.
    if (lane == 0) words[tile] = pack(tile_total, kTotal);
    const unsigned before_tile = warp_look_back(tile, words);
    if (lane == 0) {
      words[tile] = pack(before_tile + tile_total, kSum);
      shared_before = before_tile;
    }
  }
  __syncthreads();  // only the first warp knows what lies before
  unsigned before = shared_before;
  for (int w = 0; w < warp; ++w) before += warp_totals[w];

  for (int row = 0; row < kRows; ++row) {
    const uint4 value = values[row];
    const unsigned x = before + sums[row], y = x + value.x, z = y + value.y, w = z + value.z;
    store_vector(out, first + row * kRowElements, n, make_uint4(x, y, z, w));
  }
}

std::size_t scan_workspace_bytes(int n) { return (1 + lockstep::divide_up(n, kTile)) * sizeof(Word); }

void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  Word* const started = static_cast<Word*>(workspace);
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, scan_workspace_bytes(n), stream));  // nothing taken, nothing told
  scan_kernel<<<lockstep::divide_up(n, kTile), kThreads, 0, stream>>>(in, out, n, started, started + 1);
  CHECK_CUDA(cudaGetLastError());
}
