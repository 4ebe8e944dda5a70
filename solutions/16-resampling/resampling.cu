// Systematic resampling in two passes over the weights, whose warps write copies together, the reference.
// Lecture: 16-resampling.
// Bound: two launches, and memory at 12 bytes a particle, of which the second reading finds the weights in
// L2. Source: Murray, Lee and Jacob, "Parallel resampling in the particle filter", 2016, code 5; sums of
// integers and copying by warps are additions.
#include "resampling.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

using Sum = unsigned long long;
constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 4;  // that a warp reads, a vector of four weights a lane
constexpr int kRowWeights = 4 * kLanes;
constexpr int kWarpWeights = kRows * kRowWeights;
constexpr int kTile = kWarps * kWarpWeights;
constexpr int kMostParts = 1024;  // so that every block may read all their totals
constexpr int kWindow =
    2 * kWarpWeights;  // ancestors that a warp lays out at a time: mostly one window is enough

/// How the tiles of the array are dealt out: each block gets a part of neighbouring tiles.
struct Parts {
  int tiles, tiles_each, count;
};

Parts parts_of(int n) {
  const int tiles = lockstep::divide_up(n, kTile);
  const int tiles_each = lockstep::divide_up(tiles, kMostParts);
  return {tiles, tiles_each, lockstep::divide_up(tiles, tiles_each)};
}

/// A weight with 31 binary places. Sums of integers are exact, in any order.
__device__ unsigned fixed_point(float weight) { return static_cast<unsigned>(weight * 0x1p31F); }

/// Four neighbouring weights of n; `first` is a multiple of four. What lies beyond the end is 0.
__device__ uint4 load_vector(const float* weights, unsigned first, unsigned n) {
  if (first + 4 <= n) {
    const float4 vector = *reinterpret_cast<const float4*>(weights + first);
    return make_uint4(fixed_point(vector.x), fixed_point(vector.y), fixed_point(vector.z),
                      fixed_point(vector.w));
  }
  return make_uint4(first < n ? fixed_point(weights[first]) : 0,
                    first + 1 < n ? fixed_point(weights[first + 1]) : 0,
                    first + 2 < n ? fixed_point(weights[first + 2]) : 0, 0);
}

__device__ Sum sum_of(uint4 vector) { return Sum{vector.x} + vector.y + vector.z + vector.w; }

__device__ Sum warp_sum(Sum value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

__device__ Sum warp_inclusive_scan(Sum value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const Sum left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

/// The sum of the values of all threads; `before` becomes that of the warps before this one.
__device__ Sum block_sum(Sum value, Sum& before) {
  __shared__ Sum warp_totals[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const Sum own = warp_sum(value);
  if (lane == 0) warp_totals[warp] = own;
  __syncthreads();  // the totals of all warps
  before = 0;
  Sum total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = total;
    total += warp_totals[w];
  }
  __syncthreads();  // the totals have been read; the next call may write them
  return total;
}

__global__ void __launch_bounds__(kThreads)
    add_up_kernel(const float* __restrict__ weights, unsigned n, Parts parts, Sum* totals) {
  Sum own = 0;
  const int first_tile = blockIdx.x * parts.tiles_each;
  for (int tile = first_tile; tile < min(first_tile + parts.tiles_each, parts.tiles); ++tile) {
    for (int row = 0; row < kRows; ++row) {
      const unsigned first = tile * unsigned{kTile} + (row * kThreads + threadIdx.x) * 4;
      own += sum_of(load_vector(weights, first, n));
    }
  }
  Sum before;
  const Sum total = block_sum(own, before);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

/// n points, evenly spaced: the first at `offset`, the next `spacing` further on, and so forth.
struct Points {
  Sum spacing, offset;
  double per_weight;
  unsigned count;

  __device__ Points(Sum total, unsigned n, unsigned long long seed) : spacing(total / n), count(n) {
    const Words words = random_words(seed, Use::points, 0, 0);
    offset = __umul64hi(Sum{words.word[0]} << 32 | words.word[1], spacing);
    per_weight = 1.0 / static_cast<double>(spacing);
  }
  // [division]
  /// How many points lie below a sum of weights: a division of 64-bit integers takes some hundred
  /// instructions, a product of doubles is wrong by at most one, and the remainder tells.
  __device__ unsigned below(Sum sum) const {
    if (sum <= offset) return 0;
    const Sum distance = sum - offset - 1;
    auto whole = static_cast<unsigned>(static_cast<double>(distance) * per_weight);
    const auto rest = static_cast<long long>(distance - whole * spacing);
    if (rest < 0) --whole;
    if (rest >= static_cast<long long>(spacing)) ++whole;
    return min(count, whole + 1);
  }
  // [division]
};

/// The runs of copies that begin at a lane's weights of one row, and where the last of them ends.
struct Runs {
  unsigned begin[5];
};

/// Writes `ancestors` from `from` to `to`, where the warp's runs lie side by side. A mark stands where a run
/// begins: the nearest mark to the left of a place names its ancestor.
__device__ void warp_copy(const Runs (&runs)[kRows], unsigned first, unsigned from, unsigned to, int* marks,
                          int* ancestors) {
  const int lane = threadIdx.x % kLanes;
  const unsigned up_to_lane = kAllLanes >> (kLanes - 1 - lane);
  int carried = 0;  // the ancestor of the place before; the first place has a mark
  for (unsigned window = from; window < to; window += kWindow) {
    const unsigned size = min(unsigned{kWindow}, to - window);
    // [mark-runs]
    for (unsigned place = lane; place < size; place += kLanes) marks[place] = -1;
    __syncwarp();  // nobody marks a place that is not clear yet
    for (int row = 0; row < kRows; ++row) {
      for (int k = 0; k < 4; ++k) {
        const unsigned begin = runs[row].begin[k], place = begin - window;
        if (begin < runs[row].begin[k + 1] && place < size)
          marks[place] = static_cast<int>(first + row * kRowWeights + k);
      }
    }
    __syncwarp();  // all marks stand
    // [mark-runs]
    // [nearest-mark]
    for (unsigned place = lane; place - lane < size; place += kLanes) {
      const int mark = place < size ? marks[place] : -1;
      const unsigned to_the_left = __ballot_sync(kAllLanes, mark >= 0) & up_to_lane;
      const int nearest =
          __shfl_sync(kAllLanes, mark, to_the_left == 0 ? 0 : kLanes - 1 - __clz(to_the_left));
      const int ancestor = to_the_left == 0 ? carried : nearest;
      if (place < size) ancestors[window + place] = ancestor;
      carried = __shfl_sync(kAllLanes, ancestor, kLanes - 1);
    }
    // [nearest-mark]
    __syncwarp();  // all marks have been read; the next window clears them
  }
}

__global__ void __launch_bounds__(kThreads)
    copy_kernel(const float* __restrict__ weights, unsigned n, unsigned long long seed, Parts parts,
                const Sum* __restrict__ totals, int* __restrict__ ancestors) {
  __shared__ int marks[kWarps][kWindow];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // [all-totals]
  Sum up_to_here = 0, all = 0, ignored;
  for (int part = threadIdx.x; part < parts.count; part += kThreads) {
    all += totals[part];
    if (part < blockIdx.x) up_to_here += totals[part];
  }
  Sum before_tile = block_sum(up_to_here, ignored);
  const Points points(block_sum(all, ignored), n, seed);
  // [all-totals]
  const int first_tile = blockIdx.x * parts.tiles_each;
  for (int tile = first_tile; tile < min(first_tile + parts.tiles_each, parts.tiles); ++tile) {
    const unsigned first = tile * unsigned{kTile} + warp * kWarpWeights + 4 * lane;
    uint4 values[kRows];  // read all before the first is needed, to have many bytes on their way
    for (int row = 0; row < kRows; ++row) values[row] = load_vector(weights, first + row * kRowWeights, n);
    if (points.spacing == 0) {  // the weights are too small to be told apart
      for (int row = 0; row < kRows; ++row) {
        for (unsigned k = 0; k < 4; ++k) {
          const unsigned i = first + row * kRowWeights + k;
          if (i < n) ancestors[i] = static_cast<int>(i);
        }
      }
      continue;
    }
    Sum own = 0;
    for (int row = 0; row < kRows; ++row) own += sum_of(values[row]);
    Sum before;
    const Sum tile_total = block_sum(own, before);
    before += before_tile;
    const unsigned from = points.below(before);
    unsigned to = from;
    Runs runs[kRows];
    for (int row = 0; row < kRows; ++row) {
      const uint4 value = values[row];
      const Sum vector_total = sum_of(value), inclusive = warp_inclusive_scan(vector_total);
      Sum sum = before + inclusive - vector_total;
      runs[row].begin[1] = points.below(sum += value.x);
      runs[row].begin[2] = points.below(sum += value.y);
      runs[row].begin[3] = points.below(sum += value.z);
      runs[row].begin[4] = points.below(sum += value.w);
      // A lane's first run begins where its left neighbour's last ends.
      const unsigned left = __shfl_up_sync(kAllLanes, runs[row].begin[4], 1);
      runs[row].begin[0] = lane == 0 ? to : left;
      to = __shfl_sync(kAllLanes, runs[row].begin[4], kLanes - 1);
      before += __shfl_sync(kAllLanes, inclusive, kLanes - 1);
    }
    warp_copy(runs, first, from, to, marks[warp], ancestors);
    before_tile += tile_total;
  }
}

std::size_t resampling_workspace_bytes(int) { return kMostParts * sizeof(Sum); }

void resampling(const float* weights, int n, int, unsigned long long seed, int* ancestors, void* workspace,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Parts parts = parts_of(n);
  Sum* const totals = static_cast<Sum*>(workspace);
  add_up_kernel<<<parts.count, kThreads, 0, stream>>>(weights, n, parts, totals);
  CHECK_CUDA(cudaGetLastError());
  copy_kernel<<<parts.count, kThreads, 0, stream>>>(weights, n, seed, parts, totals, ancestors);
  CHECK_CUDA(cudaGetLastError());
}
