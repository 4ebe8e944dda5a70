// Clipping in a single pass: a tile counts its results, gathers them in shared memory while a warp looks back
// at the tiles before, and stores them side by side, the reference. Lecture: 11-compaction.
// Bound: memory bandwidth at 24 bytes per triangle and 24 per result, and the waiting of a tile for those
// before it. Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
// NVIDIA, 2016.
#include "compaction_clip.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 256;  // triangles, and threads of a block
constexpr int kWarps = kTile / kLanes;
constexpr int kCoordinates = 6;

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

/// How many results the tiles before `tile` have. Lane l looks at the tile l + 1 places back; those have
/// started.
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

struct Point {
  float x, y;
};

struct Triangle {
  Point p, q, r;
};

__device__ Triangle load(const float* x, const float* y, int n, int i) {
  return {{x[i], y[i]}, {x[n + i], y[n + i]}, {x[2 * n + i], y[2 * n + i]}};
}

/// The results of a tile, one row for each coordinate: x of the corners, then y.
using Gathered = float[kCoordinates][2 * kTile];

__device__ void store(Triangle triangle, Gathered& gathered, unsigned to) {
  const float coordinates[kCoordinates] = {triangle.p.x, triangle.q.x, triangle.r.x,
                                           triangle.p.y, triangle.q.y, triangle.r.y};
  for (int k = 0; k < kCoordinates; ++k) gathered[k][to] = coordinates[k];
}

/// Where the edge from `a` to `b` meets the line.
__device__ Point cut(Point a, Point b, float limit) {
  return {limit, a.y + (limit - a.x) / (b.x - a.x) * (b.y - a.y)};
}

/// How many results a triangle has, which `first` and `second` become.
__device__ int clip(Triangle triangle, float limit, Triangle& first, Triangle& second) {
  const int inside = (triangle.p.x >= limit) + (triangle.q.x >= limit) + (triangle.r.x >= limit);
  first = triangle;
  if (inside == 0) return 0;
  if (inside == 3) return 1;
  // Turned until P is the one corner inside, or P and Q are the two.
  while (!(triangle.p.x >= limit) || (triangle.q.x >= limit) != (inside == 2))
    triangle = {triangle.q, triangle.r, triangle.p};
  const Point at_end = cut(triangle.r, triangle.p, limit);
  if (inside == 1) {
    first = {triangle.p, cut(triangle.p, triangle.q, limit), at_end};
    return 1;
  }
  const Point between = cut(triangle.q, triangle.r, limit);
  first = {triangle.p, triangle.q, between};
  second = {triangle.p, between, at_end};
  return 2;
}

__global__ void __launch_bounds__(kTile)
    compaction_clip_kernel(const float* x, const float* y, float limit, float* out_x, float* out_y,
                           int capacity, std::uint32_t* count, int n, Word* started, volatile Word* words) {
  __shared__ Gathered gathered;
  __shared__ unsigned warp_totals[kWarps];
  __shared__ unsigned shared_before;
  __shared__ int shared_tile;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // Not blockIdx.x: blocks may start in any order, and a tile may wait only for tiles that have started.
  if (threadIdx.x == 0) shared_tile = static_cast<int>(atomicAdd(started, Word{1}));
  __syncthreads();  // only thread 0 knows the tile
  const int tile = shared_tile, i = tile * kTile + threadIdx.x;

  Triangle first, second;
  const int results = i < n ? clip(load(x, y, n, i), limit, first, second) : 0;
  // A number of 0 to 2 is two bits, and each has a ballot.
  const unsigned ones = __ballot_sync(kAllLanes, results & 1), twos = __ballot_sync(kAllLanes, results & 2);
  if (lane == 0) warp_totals[warp] = __popc(ones) + 2 * __popc(twos);
  __syncthreads();  // the totals of all warps

  const unsigned lower = (1U << lane) - 1;
  unsigned rank = __popc(ones & lower) + 2 * __popc(twos & lower), total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) rank += warp_totals[w];
    total += warp_totals[w];
  }
  if (warp == 0) {
    // Before waiting, so that others need not wait for what this tile waits for.
    if (lane == 0) words[tile] = pack(total, kTotal);
    const unsigned before = warp_look_back(tile, words);
    if (lane == 0) {
      words[tile] = pack(before + total, kSum);
      shared_before = before;
      if (tile == gridDim.x - 1) *count = before + total;
    }
  }
  if (results > 0) store(first, gathered, rank);
  if (results > 1) store(second, gathered, rank + 1);
  __syncthreads();  // all is gathered, and what lies before the tile is known
  for (int k = 0; k < kCoordinates; ++k) {
    float* const out = (k < 3 ? out_x : out_y) + static_cast<std::size_t>(k % 3) * capacity + shared_before;
    for (unsigned at = threadIdx.x; at < total; at += kTile) out[at] = gathered[k][at];
  }
}

std::size_t compaction_clip_workspace_bytes(int n) {
  return (1 + lockstep::divide_up(n, kTile)) * sizeof(Word);
}

void compaction_clip(const float* x, const float* y, float limit, float* out_x, float* out_y, int capacity,
                     std::uint32_t* count, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) {  // a grid without blocks is an error
    CHECK_CUDA(cudaMemsetAsync(count, 0, sizeof(*count), stream));
    return;
  }
  Word* const started = static_cast<Word*>(workspace);
  // Nothing taken, nothing published.
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, compaction_clip_workspace_bytes(n), stream));
  const int tiles = lockstep::divide_up(n, kTile);
  compaction_clip_kernel<<<tiles, kTile, 0, stream>>>(x, y, limit, out_x, out_y, capacity, count, n, started,
                                                      started + 1);
  CHECK_CUDA(cudaGetLastError());
}
