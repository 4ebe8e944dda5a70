// Systematic resampling in three passes over the weights, whose warps write copies together, the reference.
// Lecture: 21-resampling.
// Bound: three launches, and memory at 16 bytes a particle, of which the later readings find the weights in
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

/// Four neighbouring weights of n; `first` is a multiple of four. What lies beyond the end is 0.
__device__ float4 load_vector(const float* weights, unsigned first, unsigned n) {
  if (first + 4 <= n) return *reinterpret_cast<const float4*>(weights + first);
  return make_float4(first < n ? weights[first] : 0, first + 1 < n ? weights[first + 1] : 0,
                     first + 2 < n ? weights[first + 2] : 0, 0);
}

/// Integers of four neighbouring weights.
struct Vector {
  Sum x, y, z, w;
  __device__ Sum sum() const { return x + y + z + w; }
};

// [two-factors]
/// Multiplies with a power of two that may lie beyond float: with a half of it twice. Neither product is
/// rounded, but where less than one is left of the weight. Sums of integers are exact, in any order.
struct FixedPoint {
  float once, twice;

  __device__ explicit FixedPoint(int places)
      : once(ldexpf(1, places / 2)), twice(ldexpf(1, places - places / 2)) {}
  __device__ Sum operator()(float weight) const { return static_cast<Sum>(weight * once * twice); }
  __device__ Vector operator()(float4 weights) const {
    return {(*this)(weights.x), (*this)(weights.y), (*this)(weights.z), (*this)(weights.w)};
  }
};
// [two-factors]

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

/// What blocks leave for each other in the workspace.
struct Shared {
  Sum totals[kMostParts];
  float largest[kMostParts];  // weight of each part
  int places;                 // that are counted of every weight
};

__device__ float warp_max(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, offset));
  return value;
}

/// The largest of the values of all threads.
__device__ float block_max(float value) {
  __shared__ float of_warps[kWarps];
  const float own = warp_max(value);
  if (threadIdx.x % kLanes == 0) of_warps[threadIdx.x / kLanes] = own;
  __syncthreads();  // the largest of all warps
  float largest = 0;
  for (const float of_warp : of_warps) largest = fmaxf(largest, of_warp);
  return largest;
}

__global__ void __launch_bounds__(kThreads)
    largest_kernel(const float* __restrict__ weights, unsigned n, Parts parts, Shared* shared) {
  float own = 0;
  const int first_tile = blockIdx.x * parts.tiles_each;
  for (int tile = first_tile; tile < min(first_tile + parts.tiles_each, parts.tiles); ++tile) {
    for (int row = 0; row < kRows; ++row) {
      const unsigned first = tile * unsigned{kTile} + (row * kThreads + threadIdx.x) * 4;
      const float4 vector = load_vector(weights, first, n);
      own = fmaxf(own, fmaxf(fmaxf(vector.x, vector.y), fmaxf(vector.z, vector.w)));
    }
  }
  const float largest = block_max(own);
  if (threadIdx.x == 0) shared->largest[blockIdx.x] = largest;
}

__global__ void __launch_bounds__(kThreads)
    add_up_kernel(const float* __restrict__ weights, unsigned n, Parts parts, Shared* shared) {
  // [all-maxima]
  float largest = 0;
  for (int part = threadIdx.x; part < parts.count; part += kThreads)
    largest = fmaxf(largest, shared->largest[part]);
  const int places = places_of(block_max(largest), static_cast<int>(n));
  // [all-maxima]
  const FixedPoint fixed_point(places);
  Sum own = 0;
  const int first_tile = blockIdx.x * parts.tiles_each;
  for (int tile = first_tile; tile < min(first_tile + parts.tiles_each, parts.tiles); ++tile) {
    for (int row = 0; row < kRows; ++row) {
      const unsigned first = tile * unsigned{kTile} + (row * kThreads + threadIdx.x) * 4;
      own += fixed_point(load_vector(weights, first, n)).sum();
    }
  }
  Sum before;
  const Sum total = block_sum(own, before);
  if (threadIdx.x == 0) shared->totals[blockIdx.x] = total;
  if (blockIdx.x == 0 && threadIdx.x == 0) shared->places = places;
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

constexpr int kCopyBlocks = 4;  // on a multiprocessor: conversions are to be made where they are needed

__global__ void __launch_bounds__(kThreads, kCopyBlocks)
    copy_kernel(const float* __restrict__ weights, unsigned n, unsigned long long seed, Parts parts,
                const Shared* __restrict__ shared, int* __restrict__ ancestors) {
  __shared__ int marks[kWarps][kWindow];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  // [all-totals]
  Sum up_to_here = 0, all = 0, ignored;
  for (int part = threadIdx.x; part < parts.count; part += kThreads) {
    all += shared->totals[part];
    if (part < blockIdx.x) up_to_here += shared->totals[part];
  }
  Sum before_tile = block_sum(up_to_here, ignored);
  const Points points(block_sum(all, ignored), n, seed);
  // [all-totals]
  const FixedPoint fixed_point(shared->places);
  const int first_tile = blockIdx.x * parts.tiles_each;
  for (int tile = first_tile; tile < min(first_tile + parts.tiles_each, parts.tiles); ++tile) {
    const unsigned first = tile * unsigned{kTile} + warp * kWarpWeights + 4 * lane;
    float4 values[kRows];  // read all before the first is needed, to have many bytes on their way
    for (int row = 0; row < kRows; ++row) values[row] = load_vector(weights, first + row * kRowWeights, n);
    if (points.spacing == 0) {  // there is no weight at all
      for (int row = 0; row < kRows; ++row) {
        for (unsigned k = 0; k < 4; ++k) {
          const unsigned i = first + row * kRowWeights + k;
          if (i < n) ancestors[i] = static_cast<int>(i);
        }
      }
      continue;
    }
    Sum own = 0;
    for (int row = 0; row < kRows; ++row) own += fixed_point(values[row]).sum();
    Sum before;
    const Sum tile_total = block_sum(own, before);
    before += before_tile;
    const unsigned from = points.below(before);
    unsigned to = from;
    Runs runs[kRows];
    for (int row = 0; row < kRows; ++row) {
      const Vector value = fixed_point(values[row]);
      const Sum vector_total = value.sum(), inclusive = warp_inclusive_scan(vector_total);
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

std::size_t resampling_workspace_bytes(int) { return sizeof(Shared); }

void resampling(const float* weights, int n, int, unsigned long long seed, int* ancestors, void* workspace,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Parts parts = parts_of(n);
  Shared* const shared = static_cast<Shared*>(workspace);
  largest_kernel<<<parts.count, kThreads, 0, stream>>>(weights, n, parts, shared);
  CHECK_CUDA(cudaGetLastError());
  add_up_kernel<<<parts.count, kThreads, 0, stream>>>(weights, n, parts, shared);
  CHECK_CUDA(cudaGetLastError());
  copy_kernel<<<parts.count, kThreads, 0, stream>>>(weights, n, seed, parts, shared, ancestors);
  CHECK_CUDA(cudaGetLastError());
}
