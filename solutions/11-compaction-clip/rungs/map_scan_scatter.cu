// fails: bytes-per-element
// at: for (int k = 0; k < 6; ++k)
// Clipping by map, scan and scatter: how many results each triangle has, where they begin by a scan, and
// their stores. Lecture: 11-compaction.
// Bound: memory bandwidth. A number for each triangle in memory is written, scanned and read: 24 bytes more
// per triangle than a number for each block.
#include "compaction_clip.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 1024;  // triangles, and threads of a block
constexpr int kWarps = kTile / kLanes;

struct Point {
  float x, y;
};

struct Triangle {
  Point p, q, r;
};

__device__ Triangle load(const float* x, const float* y, int n, int i) {
  return {{x[i], y[i]}, {x[n + i], y[n + i]}, {x[2 * n + i], y[2 * n + i]}};
}

__device__ void store(Triangle triangle, float* out_x, float* out_y, int capacity, int to) {
  const float coordinates[6] = {triangle.p.x, triangle.q.x, triangle.r.x,
                                triangle.p.y, triangle.q.y, triangle.r.y};
  for (int k = 0; k < 6; ++k) (k < 3 ? out_x : out_y)[k % 3 * capacity + to] = coordinates[k];
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

__global__ void count_kernel(const float* x, float limit, int n, int* results) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  if (i >= n) return;
  const int inside = (x[i] >= limit) + (x[n + i] >= limit) + (x[2 * n + i] >= limit);
  results[i] = inside == 0 ? 0 : inside == 2 ? 2 : 1;
}

__device__ int warp_inclusive_scan(int value) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const int left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

/// The sum of the values of the threads before this one; `total` becomes the sum of all.
__device__ int block_exclusive_scan(int value, int& total) {
  __shared__ int warp_totals[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int inclusive = warp_inclusive_scan(value);
  if (lane == kLanes - 1) warp_totals[warp] = inclusive;
  __syncthreads();  // as many totals as lanes: every warp scans them for itself
  const int up_to_warp = warp_inclusive_scan(warp_totals[lane]);
  const int before = __shfl_sync(kAllLanes, up_to_warp, warp > 0 ? warp - 1 : 0);
  total = __shfl_sync(kAllLanes, up_to_warp, kWarps - 1);
  return (warp > 0 ? before : 0) + inclusive - value;
}

__global__ void scan_tiles_kernel(int* values, int n, int* totals) {
  const int position = blockIdx.x * kTile + threadIdx.x;
  int total;
  const int sum = block_exclusive_scan(position < n ? values[position] : 0, total);
  if (position < n) values[position] = sum;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

__global__ void add_before_kernel(int* values, int n, const int* before) {
  const int position = blockIdx.x * kTile + threadIdx.x;
  if (position < n) values[position] += before[blockIdx.x];
}

/// An exclusive scan in place, as three_pass of 10-scan has it.
void scan_level(int* values, int n, int* totals, cudaStream_t stream) {
  const int tiles = lockstep::divide_up(n, kTile);
  scan_tiles_kernel<<<tiles, kTile, 0, stream>>>(values, n, totals);
  CHECK_CUDA(cudaGetLastError());
  if (tiles == 1) return;
  scan_level(totals, tiles, totals + tiles, stream);
  add_before_kernel<<<tiles, kTile, 0, stream>>>(values, n, totals);
  CHECK_CUDA(cudaGetLastError());
}

__global__ void clip_kernel(const float* x, const float* y, float limit, const int* positions, int n,
                            float* out_x, float* out_y, int capacity, std::uint32_t* count) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  if (i >= n) return;
  Triangle first, second;
  const int results = clip(load(x, y, n, i), limit, first, second), to = positions[i];
  if (results > 0) store(first, out_x, out_y, capacity, to);
  if (results > 1) store(second, out_x, out_y, capacity, to + 1);
  if (i == n - 1) *count = to + results;  // the scan is exclusive
}

std::size_t compaction_clip_workspace_bytes(int n) {
  std::size_t words = n;  // numbers, and the totals of the tiles, the totals of tiles of those, and so on
  for (int tiles = n; tiles > 1;) {
    tiles = lockstep::divide_up(tiles, kTile);
    words += tiles;
  }
  return (words + 1) * sizeof(int);  // a single triangle has a total too
}

void compaction_clip(const float* x, const float* y, float limit, float* out_x, float* out_y, int capacity,
                     std::uint32_t* count, int n, void* workspace, cudaStream_t stream) {
  if (n == 0) {  // a grid without blocks is an error
    CHECK_CUDA(cudaMemsetAsync(count, 0, sizeof(*count), stream));
    return;
  }
  const int tiles = lockstep::divide_up(n, kTile);
  int* const positions = static_cast<int*>(workspace);
  count_kernel<<<tiles, kTile, 0, stream>>>(x, limit, n, positions);
  CHECK_CUDA(cudaGetLastError());
  scan_level(positions, n, positions + n, stream);
  clip_kernel<<<tiles, kTile, 0, stream>>>(x, y, limit, positions, n, out_x, out_y, capacity, count);
  CHECK_CUDA(cudaGetLastError());
}
