// Systematic resampling by an exact scan: no chain, no bias, the least variance. Lecture: 21-resampling.
// Bound: memory at 16 bytes a particle where copies are spread evenly; else the longest run of copies in a
// warp, which one lane writes alone.
// Source: Murray, Lee and Jacob, "Parallel resampling in the particle filter", 2016, code 5; sums of integers
// are an addition.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "resampling.h"

using Sum = unsigned long long;
constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 1024;  // weights that a block scans, one a thread
constexpr int kWarps = kTile / kLanes;

// [exact-weights]
/// A weight in units of its last binary place. Sums of integers are exact, in any order.
__device__ Sum fixed_point(float weight, int places) { return static_cast<Sum>(ldexpf(weight, places)); }
// [exact-weights]

// [largest]
/// *largest, which is 0 before, becomes the largest weight.
__global__ void largest_kernel(const float* weights, int n, int* largest) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  // Floats from 0 up are in the same order as their bits, read as an integer.
  int own = i < n ? __float_as_int(weights[i]) : 0;
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    own = max(own, __shfl_xor_sync(kAllLanes, own, offset));
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();  // nobody is compared with what stood there before
  if (threadIdx.x % kLanes == 0) atomicMax(&of_block, own);
  __syncthreads();  // the largest of all warps
  if (threadIdx.x == 0) atomicMax(largest, of_block);
}
// [largest]

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
  __shared__ Sum warp_totals[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const Sum inclusive = warp_inclusive_scan(value);
  if (lane == kLanes - 1) warp_totals[warp] = inclusive;
  __syncthreads();  // as many totals as lanes: every warp scans them for itself
  const Sum up_to_warp = warp_inclusive_scan(warp_totals[lane]);
  const Sum before = __shfl_sync(kAllLanes, up_to_warp, warp > 0 ? warp - 1 : 0);
  total = __shfl_sync(kAllLanes, up_to_warp, kWarps - 1);
  __syncthreads();  // the totals have been read; the next call may write them
  return (warp > 0 ? before : 0) + inclusive;
}

__global__ void add_up_kernel(const float* weights, int n, const float* largest, Sum* totals) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  Sum total;
  block_inclusive_scan(i < n ? fixed_point(weights[i], places_of(*largest, n)) : 0, total);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

/// One block: totals[tile] becomes the sum before the tile, totals[tiles] that of all.
__global__ void scan_totals_kernel(Sum* totals, int tiles) {
  Sum before = 0;
  for (int first = 0; first < tiles; first += kTile) {
    const int tile = first + threadIdx.x;
    const Sum own = tile < tiles ? totals[tile] : 0;
    Sum total;
    const Sum inclusive = block_inclusive_scan(own, total);
    if (tile < tiles) totals[tile] = before + inclusive - own;
    before += total;
  }
  if (threadIdx.x == 0) totals[tiles] = before;
}

// [points]
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
// [points]

// [copies]
__global__ void copy_kernel(const float* weights, int n, unsigned long long seed, const float* largest,
                            const Sum* before, int* ancestors) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  const Points points(before[gridDim.x], n, seed);
  const Sum weight = i < n ? fixed_point(weights[i], places_of(*largest, n)) : 0;
  Sum total;
  const Sum up_to = before[blockIdx.x] + block_inclusive_scan(weight, total);
  if (i >= n) return;
  if (points.spacing == 0) {  // there is no weight at all
    ancestors[i] = i;
    return;
  }
  const Sum end = points.below(up_to);
  for (Sum k = points.below(up_to - weight); k < end; ++k) ancestors[k] = i;
}
// [copies]

/// The largest weight in a place of its own, the sums before each tile, and that of all.
std::size_t resampling_workspace_bytes(int n) { return (lockstep::divide_up(n, kTile) + 2) * sizeof(Sum); }

void resampling(const float* weights, int n, int, unsigned long long seed, int* ancestors, void* workspace,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  float* const largest = static_cast<float*>(workspace);
  Sum* const totals = static_cast<Sum*>(workspace) + 1;
  CHECK_CUDA(cudaMemsetAsync(largest, 0, sizeof *largest, stream));
  largest_kernel<<<tiles, kTile, 0, stream>>>(weights, n, reinterpret_cast<int*>(largest));
  CHECK_CUDA(cudaGetLastError());
  add_up_kernel<<<tiles, kTile, 0, stream>>>(weights, n, largest, totals);
  CHECK_CUDA(cudaGetLastError());
  scan_totals_kernel<<<1, kTile, 0, stream>>>(totals, tiles);
  CHECK_CUDA(cudaGetLastError());
  copy_kernel<<<tiles, kTile, 0, stream>>>(weights, n, seed, largest, totals, ancestors);
  CHECK_CUDA(cudaGetLastError());
}
