// expect: wrong-answer
// says: these are the coordinates of the right results in another order
// Each triangle draws the places of its results from a counter: no two get the same, and their order is lost.
#include "compaction_clip.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

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

__global__ void compaction_clip_kernel(const float* x, const float* y, float limit, float* out_x,
                                       float* out_y, int capacity, std::uint32_t* count, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  Triangle first, second;
  const int results = clip(load(x, y, n, i), limit, first, second);
  if (results == 0) return;
  const unsigned to = atomicAdd(count, results);
  store(first, out_x, out_y, capacity, to);
  if (results > 1) store(second, out_x, out_y, capacity, to + 1);
}

std::size_t compaction_clip_workspace_bytes(int) { return 0; }

void compaction_clip(const float* x, const float* y, float limit, float* out_x, float* out_y, int capacity,
                     std::uint32_t* count, int n, void*, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(count, 0, sizeof(*count), stream));
  if (n == 0) return;  // a grid without blocks is an error
  compaction_clip_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(x, y, limit, out_x, out_y,
                                                                                    capacity, count, n);
  CHECK_CUDA(cudaGetLastError());
}
