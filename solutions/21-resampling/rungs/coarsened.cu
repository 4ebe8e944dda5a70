// Systematic resampling with 16 weights per thread, read as vectors of four. Lecture: 21-resampling.
// Bound: instructions, of which divisions of 64-bit integers are the most; and stores of single copies, by
// lanes whose copies lie apart. Source: Murray, Lee and Jacob, "Parallel resampling in the particle filter",
// 2016, code 5; sums of integers are an addition.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "resampling.h"

using Sum = unsigned long long;
constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kMostThreads = 1024;  // of the one block that scans the totals
constexpr int kRows = 4;            // that a block reads, a vector of four weights for each thread
constexpr int kRowWeights = 4 * kThreads;
constexpr int kTile = kRows * kRowWeights;

/// A weight in units of its last binary place. Sums of integers are exact, in any order.
__device__ Sum fixed_point(float weight, int places) { return static_cast<Sum>(ldexpf(weight, places)); }

/// Four neighbouring weights of n; `first` is a multiple of four. What lies beyond the end is 0.
__device__ float4 load_vector(const float* weights, unsigned first, unsigned n) {
  if (first + 4 <= n) return *reinterpret_cast<const float4*>(weights + first);
  return make_float4(first < n ? weights[first] : 0, first + 1 < n ? weights[first + 1] : 0,
                     first + 2 < n ? weights[first + 2] : 0, 0);
}

// [running-sums]
/// Of four neighbouring weights: of[k] is the sum of the first k + 1.
struct RunningSums {
  Sum of[4];

  __device__ RunningSums(float4 weights, int places)
      : of{fixed_point(weights.x, places), fixed_point(weights.y, places), fixed_point(weights.z, places),
           fixed_point(weights.w, places)} {
    for (int k = 1; k < 4; ++k) of[k] += of[k - 1];
  }
};
// [running-sums]

/// The first weight of this thread's vector in a row of the block's tile.
__device__ unsigned first_of(int row) {
  return blockIdx.x * unsigned{kTile} + row * kRowWeights + 4 * threadIdx.x;
}

/// *largest, which is 0 before, becomes the largest weight.
__global__ void largest_kernel(const float* weights, unsigned n, int* largest) {
  float largest_of_rows = 0;
  for (int row = 0; row < kRows; ++row) {
    const float4 vector = load_vector(weights, first_of(row), n);
    largest_of_rows = fmaxf(largest_of_rows, fmaxf(fmaxf(vector.x, vector.y), fmaxf(vector.z, vector.w)));
  }
  // Floats from 0 up are in the same order as their bits, read as an integer.
  int own = __float_as_int(largest_of_rows);
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    own = max(own, __shfl_xor_sync(kAllLanes, own, offset));
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();  // nobody is compared with what stood there before
  if (threadIdx.x % kLanes == 0) atomicMax(&of_block, own);
  __syncthreads();  // the largest of all warps
  if (threadIdx.x == 0) atomicMax(largest, of_block);
}

__device__ Sum warp_inclusive_scan(Sum value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const Sum left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

/// The sum of the values up to and including this thread's; `total` becomes the sum of all.
__device__ Sum block_inclusive_scan(Sum value, Sum& total) {
  __shared__ Sum warp_totals[kMostThreads / kLanes];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes;
  const Sum inclusive = warp_inclusive_scan(value);
  if (lane == kLanes - 1) warp_totals[warp] = inclusive;
  __syncthreads();  // at most as many totals as lanes: every warp scans them for itself
  const Sum up_to_warp = warp_inclusive_scan(lane < warps ? warp_totals[lane] : 0);
  const Sum before = __shfl_sync(kAllLanes, up_to_warp, warp > 0 ? warp - 1 : 0);
  total = __shfl_sync(kAllLanes, up_to_warp, warps - 1);
  __syncthreads();  // the totals have been read; the next call may write them
  return (warp > 0 ? before : 0) + inclusive;
}

__global__ void __launch_bounds__(kThreads)
    add_up_kernel(const float* __restrict__ weights, unsigned n, const float* largest, Sum* totals) {
  const int places = places_of(*largest, static_cast<int>(n));
  Sum own = 0, total;
  for (int row = 0; row < kRows; ++row)
    own += RunningSums(load_vector(weights, first_of(row), n), places).of[3];
  block_inclusive_scan(own, total);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

/// One block: totals[tile] becomes the sum before the tile, totals[tiles] that of all.
__global__ void scan_totals_kernel(Sum* totals, int tiles) {
  Sum before = 0;
  for (int first = 0; first < tiles; first += kMostThreads) {
    const int tile = first + threadIdx.x;
    const Sum own = tile < tiles ? totals[tile] : 0;
    Sum total;
    const Sum inclusive = block_inclusive_scan(own, total);
    if (tile < tiles) totals[tile] = before + inclusive - own;
    before += total;
  }
  if (threadIdx.x == 0) totals[tiles] = before;
}

/// n points, evenly spaced: the first at `offset`, the next `spacing` further on, and so forth.
struct Points {
  Sum spacing, offset;
  Sum count;

  __device__ Points(Sum total, unsigned n, unsigned long long seed) : spacing(total / n), count(n) {
    const Words words = random_words(seed, Use::points, 0, 0);
    offset = __umul64hi(Sum{words.word[0]} << 32 | words.word[1], spacing);
  }
  /// How many points lie below a sum of weights.
  __device__ Sum below(Sum sum) const {
    return sum <= offset ? 0 : min(count, (sum - offset - 1) / spacing + 1);
  }
};

/// Writes the copies of the four particles from `first` on; `before` is the sum of all weights before them.
__device__ void copy_vector(const Points& points, Sum before, const RunningSums& sums, unsigned first,
                            int* ancestors) {
  if (points.spacing == 0) {  // there is no weight at all
    for (unsigned i = first; i < first + 4 && i < points.count; ++i) ancestors[i] = static_cast<int>(i);
    return;
  }
  Sum place = points.below(before);
  for (int k = 0; k < 4; ++k) {
    const Sum end = points.below(before + sums.of[k]);
    for (; place < end; ++place) ancestors[place] = static_cast<int>(first) + k;
  }
}

__global__ void __launch_bounds__(kThreads)
    copy_kernel(const float* __restrict__ weights, unsigned n, unsigned long long seed,
                const float* __restrict__ largest, const Sum* __restrict__ before,
                int* __restrict__ ancestors) {
  // What all weights need alike is computed once for 16 of them.
  const Points points(before[gridDim.x], n, seed);
  const int places = places_of(*largest, static_cast<int>(n));
  // [rows]
  float4 vectors[kRows];  // read all before the first is needed, to have many bytes in flight
  for (int row = 0; row < kRows; ++row) vectors[row] = load_vector(weights, first_of(row), n);
  Sum before_row = before[blockIdx.x];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const RunningSums sums(vectors[row], places);
    Sum row_total;
    const Sum before_vector = before_row + block_inclusive_scan(sums.of[3], row_total) - sums.of[3];
    copy_vector(points, before_vector, sums, first_of(row), ancestors);
    before_row += row_total;
  }
  // [rows]
}

/// The largest weight in a place of its own, the sums before each tile, and that of all.
std::size_t resampling_workspace_bytes(int n) { return (lockstep::divide_up(n, kTile) + 2) * sizeof(Sum); }

void resampling(const float* weights, int n, int, unsigned long long seed, int* ancestors, void* workspace,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  float* const largest = static_cast<float*>(workspace);
  Sum* const totals = static_cast<Sum*>(workspace) + 1;
  CHECK_CUDA(cudaMemsetAsync(largest, 0, sizeof *largest, stream));
  largest_kernel<<<tiles, kThreads, 0, stream>>>(weights, n, reinterpret_cast<int*>(largest));
  CHECK_CUDA(cudaGetLastError());
  add_up_kernel<<<tiles, kThreads, 0, stream>>>(weights, n, largest, totals);
  CHECK_CUDA(cudaGetLastError());
  scan_totals_kernel<<<1, kMostThreads, 0, stream>>>(totals, tiles);
  CHECK_CUDA(cudaGetLastError());
  copy_kernel<<<tiles, kThreads, 0, stream>>>(weights, n, seed, largest, totals, ancestors);
  CHECK_CUDA(cudaGetLastError());
}
