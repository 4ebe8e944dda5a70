// Clipping in two passes over the triangles: count the results of each block, scan the counts, then clip and
// store. Only x is needed to count. Lecture: 11-compaction.
// Bound: memory bandwidth. x is read twice, and a warp stores its results in two requests per array, first
// those of all triangles and then second ones, which touch nearly all sectors twice.
#include "compaction_clip.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kScanThreads = 1024;

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

/// The same number from the corners' x alone.
__device__ int result_count(float p, float q, float r, float limit) {
  const int inside = (p >= limit) + (q >= limit) + (r >= limit);
  return inside == 0 ? 0 : inside == 2 ? 2 : 1;
}

/// The results of the threads before this one; `total` becomes those of the block. A number of 0 to 2 is two
/// bits, and each has a ballot.
__device__ int block_exclusive_sum(int results, int& total) {
  __shared__ int warp_totals[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const unsigned ones = __ballot_sync(kAllLanes, results & 1), twos = __ballot_sync(kAllLanes, results & 2);
  if (lane == 0) warp_totals[warp] = __popc(ones) + 2 * __popc(twos);
  __syncthreads();  // the totals of all warps
  int before = 0;
  total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = total;
    total += warp_totals[w];
  }
  const unsigned lower = (1U << lane) - 1;
  return before + __popc(ones & lower) + 2 * __popc(twos & lower);
}

__global__ void count_kernel(const float* x, float limit, int n, int* block_counts) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int results = i < n ? result_count(x[i], x[n + i], x[2 * n + i], limit) : 0;
  int total;
  block_exclusive_sum(results, total);
  if (threadIdx.x == 0) block_counts[blockIdx.x] = total;
}

/// One block, which goes over all counts; each of them becomes the sum of those before it.
__global__ void scan_counts_kernel(int* block_counts, int blocks, std::uint32_t* count) {
  __shared__ int sums[2][kScanThreads];
  const int i = threadIdx.x;
  int before = 0;
  for (int first = 0; first < blocks; first += kScanThreads) {
    const int own = first + i < blocks ? block_counts[first + i] : 0;
    int from = 0;
    sums[from][i] = own;
    __syncthreads();
    for (int offset = 1; offset < kScanThreads; offset *= 2) {
      const int to = 1 - from;
      sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
      __syncthreads();  // the next step writes the buffer that all have finished reading
      from = to;
    }
    if (first + i < blocks) block_counts[first + i] = before + sums[from][i] - own;
    before += sums[from][kScanThreads - 1];
    __syncthreads();  // all have read their sums
  }
  if (i == 0) *count = before;
}

__global__ void clip_kernel(const float* x, const float* y, float limit, int n, const int* before_block,
                            float* out_x, float* out_y, int capacity) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  Triangle first, second;
  const int results = i < n ? clip(load(x, y, n, i), limit, first, second) : 0;
  int total;
  const int to = before_block[blockIdx.x] + block_exclusive_sum(results, total);
  if (results > 0) store(first, out_x, out_y, capacity, to);
  if (results > 1) store(second, out_x, out_y, capacity, to + 1);
}

std::size_t compaction_clip_workspace_bytes(int n) { return lockstep::divide_up(n, kThreads) * sizeof(int); }

void compaction_clip(const float* x, const float* y, float limit, float* out_x, float* out_y, int capacity,
                     std::uint32_t* count, int n, void* workspace, cudaStream_t stream) {
  const int blocks = lockstep::divide_up(n, kThreads);
  int* const block_counts = static_cast<int*>(workspace);
  if (blocks > 0) {  // a grid without blocks is an error
    count_kernel<<<blocks, kThreads, 0, stream>>>(x, limit, n, block_counts);
    CHECK_CUDA(cudaGetLastError());
  }
  scan_counts_kernel<<<1, kScanThreads, 0, stream>>>(block_counts, blocks, count);
  CHECK_CUDA(cudaGetLastError());
  if (blocks == 0) return;
  clip_kernel<<<blocks, kThreads, 0, stream>>>(x, y, limit, n, block_counts, out_x, out_y, capacity);
  CHECK_CUDA(cudaGetLastError());
}
