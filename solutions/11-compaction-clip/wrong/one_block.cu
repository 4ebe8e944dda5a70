// expect: inefficient
// fails: parallelism
// One block goes over all triangles: each is read once and no result is stored twice, and nobody helps it.
#include "compaction_clip.h"
#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 256;  // triangles, and threads of a block
constexpr int kWarps = kTile / kLanes;
constexpr int kCoordinates = 6;

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
                           int capacity, std::uint32_t* count, int n) {
  __shared__ Gathered gathered;
  __shared__ unsigned warp_totals[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const unsigned lower = (1U << lane) - 1;
  unsigned before = 0;
  for (int start = 0; start < n; start += kTile) {
    const int i = start + threadIdx.x;
    Triangle first, second;
    const int results = i < n ? clip(load(x, y, n, i), limit, first, second) : 0;
    const unsigned ones = __ballot_sync(kAllLanes, results & 1), twos = __ballot_sync(kAllLanes, results & 2);
    if (lane == 0) warp_totals[warp] = __popc(ones) + 2 * __popc(twos);
    __syncthreads();  // the totals of all warps
    unsigned rank = __popc(ones & lower) + 2 * __popc(twos & lower), total = 0;
    for (int w = 0; w < kWarps; ++w) {
      if (w < warp) rank += warp_totals[w];
      total += warp_totals[w];
    }
    if (results > 0) store(first, gathered, rank);
    if (results > 1) store(second, gathered, rank + 1);
    __syncthreads();  // all is gathered
    for (int k = 0; k < kCoordinates; ++k) {
      float* const out = (k < 3 ? out_x : out_y) + static_cast<std::size_t>(k % 3) * capacity + before;
      for (unsigned at = threadIdx.x; at < total; at += kTile) out[at] = gathered[k][at];
    }
    before += total;
    __syncthreads();  // all is stored; the next turn gathers anew
  }
  if (threadIdx.x == 0) *count = before;
}

std::size_t compaction_clip_workspace_bytes(int) { return 0; }

void compaction_clip(const float* x, const float* y, float limit, float* out_x, float* out_y, int capacity,
                     std::uint32_t* count, int n, void*, cudaStream_t stream) {
  compaction_clip_kernel<<<1, kTile, 0, stream>>>(x, y, limit, out_x, out_y, capacity, count, n);
  CHECK_CUDA(cudaGetLastError());
}
