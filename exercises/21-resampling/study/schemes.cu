// Multinomial, stratified, systematic and residual resampling: weights become integers, whose sums are exact,
// the sums are scanned, and each copy is found by a binary search. As plain as possible: the exercise's
// function is what is fast.
#include "schemes.h"

#include "21-resampling/resampling.h"
#include "block_sums.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

namespace lockstep::particle_filter {
namespace {

using Sum = unsigned long long;

/// Weights up to 1 in units of their last place: n times the largest stays below 2^62.
__device__ Sum fixed_point(float weight, int n) { return static_cast<Sum>(ldexpf(weight, places_of(1, n))); }

__global__ void fixed_point_kernel(const float* weights, int n, Sum* integers) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) integers[i] = fixed_point(weights[i], n);
}

/// The sum of the values of a block up to that of this thread.
__device__ Sum block_scan(Sum own) {
  __shared__ Sum sums[kThreads];
  for (int offset = 1; offset < kThreads; offset *= 2) {
    sums[threadIdx.x] = own;
    __syncthreads();  // all sums of this round
    if (threadIdx.x >= offset) own += sums[threadIdx.x - offset];
    __syncthreads();  // they were read
  }
  return own;
}

/// Each value becomes the sum of its tile up to it; totals[tile] all of the tile.
__global__ void scan_tiles_kernel(Sum* values, int n, Sum* totals) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const Sum own = block_scan(i < n ? values[i] : 0);
  if (i < n) values[i] = own;
  if (threadIdx.x == kThreads - 1) totals[blockIdx.x] = own;
}

/// One block: each total becomes the sum of those before it.
__global__ void scan_totals_kernel(Sum* totals, int tiles) {
  __shared__ Sum all;
  Sum before = 0;
  for (int first = 0; first < tiles; first += kThreads) {
    const int i = first + threadIdx.x;
    const Sum total = i < tiles ? totals[i] : 0;
    const Sum own = block_scan(total);  // behind its barriers everybody has read `all` of the round before
    if (i < tiles) totals[i] = before + own - total;
    if (threadIdx.x == kThreads - 1) all = own;
    __syncthreads();  // the sum of this round
    before += all;
  }
}

__global__ void add_totals_kernel(Sum* values, int n, const Sum* totals) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) values[i] += totals[blockIdx.x];
}

/// Inclusive sums, in place.
void scan(Sum* values, int n, Sum* totals, cudaStream_t stream) {
  const int tiles = divide_up(n, kThreads);
  scan_tiles_kernel<<<tiles, kThreads, 0, stream>>>(values, n, totals);
  CHECK_CUDA(cudaGetLastError());
  scan_totals_kernel<<<1, kThreads, 0, stream>>>(totals, tiles);
  CHECK_CUDA(cudaGetLastError());
  add_totals_kernel<<<tiles, kThreads, 0, stream>>>(values, n, totals);
  CHECK_CUDA(cudaGetLastError());
}

/// Which of n parts of a line a point lies on: as many end before it, or at it.
__device__ int part_of(Sum point, const Sum* ends, int n) {
  int first = 0, last = n - 1;
  while (first < last) {
    const int middle = first + (last - first) / 2;
    if (ends[middle] <= point) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

/// Uniform from 0 to below `length`: word 0 and 1 of an index.
__device__ Sum uniform_point(Sum length, unsigned long long seed, Use use, int index) {
  const Words words = random_words(seed, use, index, 0);
  return __umul64hi(Sum{words.word[0]} << 32 | words.word[1], length);
}

/// Points along the weights. Systematic resampling is that of the exercise, word by word.
__global__ void points_kernel(Scheme scheme, const Sum* ends, int n, unsigned long long seed,
                              int* ancestors) {
  const int k = blockIdx.x * kThreads + threadIdx.x;
  if (k >= n) return;
  const Sum total = ends[n - 1], spacing = total / n;
  Sum point;
  if (scheme == Scheme::systematic) {
    point = k * spacing + uniform_point(spacing, seed, Use::points, 0);
  } else if (scheme == Scheme::stratified) {
    point = k * spacing + uniform_point(spacing, seed, kPointWords, k);
  } else {
    point = uniform_point(total, seed, kPointWords, k);
  }
  ancestors[k] = part_of(point, ends, n);
}

/// What is certain of n w / Σw, and what is left of it, in a unit in which all of it stays below 2^63. For
/// that the rests lose their last ⌊log₂ n⌋ + 1 bits: each is known to n² / (2^60 Σw) of a copy, and less is
/// lost.
__global__ void parts_kernel(const float* weights, int n, const Sum* ends, Sum* copies, Sum* rests) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const Sum total = ends[n - 1], expected = fixed_point(weights[i], n) * n;
  copies[i] = expected / total;
  rests[i] = (expected % total) >> (ilogb(static_cast<double>(n)) + 1);
}

/// First the certain copies, then others in proportion to the rests.
__global__ void residual_kernel(const Sum* copies, const Sum* rests, int n, unsigned long long seed,
                                int* ancestors) {
  const int k = blockIdx.x * kThreads + threadIdx.x;
  if (k >= n) return;
  const Sum certain = copies[n - 1], rest = rests[n - 1];
  if (k < certain || rest == 0) {  // rests of less than a unit go to those who have copies
    ancestors[k] = part_of(k % certain, copies, n);
  } else {
    ancestors[k] = part_of(uniform_point(rest, seed, kPointWords, k), rests, n);
  }
}

/// How many arrays of n sums a scheme needs.
int arrays_of(Scheme scheme) { return scheme == Scheme::residual ? 3 : 1; }

}  // namespace

std::size_t scheme_workspace_bytes(Scheme scheme, int n) {
  if (scheme == Scheme::exercise) return resampling_workspace_bytes(n);
  const auto sums = static_cast<std::size_t>(arrays_of(scheme)) * n + divide_up(n, kThreads);
  return sums * sizeof(Sum);
}

void draw_ancestors(Scheme scheme, const float* weights, int n, int steps, unsigned long long seed,
                    int* ancestors, void* workspace, cudaStream_t stream) {
  if (scheme == Scheme::exercise) {
    resampling(weights, n, steps, seed, ancestors, workspace, stream);
    return;
  }
  const int blocks = divide_up(n, kThreads);
  const auto ends = static_cast<Sum*>(workspace);
  Sum* totals = ends + static_cast<std::size_t>(arrays_of(scheme)) * n;
  fixed_point_kernel<<<blocks, kThreads, 0, stream>>>(weights, n, ends);
  CHECK_CUDA(cudaGetLastError());
  scan(ends, n, totals, stream);
  if (scheme != Scheme::residual) {
    points_kernel<<<blocks, kThreads, 0, stream>>>(scheme, ends, n, seed, ancestors);
    CHECK_CUDA(cudaGetLastError());
    return;
  }
  Sum* copies = ends + n;
  Sum* rests = copies + n;
  parts_kernel<<<blocks, kThreads, 0, stream>>>(weights, n, ends, copies, rests);
  CHECK_CUDA(cudaGetLastError());
  scan(copies, n, totals, stream);
  scan(rests, n, totals, stream);
  residual_kernel<<<blocks, kThreads, 0, stream>>>(copies, rests, n, seed, ancestors);
  CHECK_CUDA(cudaGetLastError());
}

}  // namespace lockstep::particle_filter
