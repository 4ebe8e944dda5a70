// fails: parallelism
// at: scan_recurrence_kernel<<<1, kThreads, 0, stream>>>(a, b, first, x, n);
// Recurrence by one block, which goes over the array and keeps the value that comes into the next 1024
// elements. Lecture: 10-scan.
// Bound: one multiprocessor, while all others are idle. It moves 12 bytes per element, the fewest there are.
#include "lockstep/check_cuda.h"
#include "scan_recurrence.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / kLanes;

/// The step from x to a * x + b, or several such steps one after the other. Aligned, so that a lane loads or
/// stores both words in one request.
struct alignas(8) Map {
  std::uint32_t a, b;
};

__device__ Map identity() { return {1, 0}; }
__device__ std::uint32_t apply(Map map, std::uint32_t x) { return map.a * x + map.b; }
__device__ Map composed(Map earlier, Map later) { return {earlier.a * later.a, apply(later, earlier.b)}; }

__device__ Map map_of_lane(Map map, int lane) {
  return {__shfl_sync(kAllLanes, map.a, lane), __shfl_sync(kAllLanes, map.b, lane)};
}

__device__ Map warp_inclusive_scan(Map map) {
  const int lane = threadIdx.x % kLanes;
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const Map earlier = map_of_lane(map, lane - offset);
    if (lane >= offset) map = composed(earlier, map);
  }
  return map;
}

__global__ void scan_recurrence_kernel(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t first,
                                       std::uint32_t* x, int n) {
  __shared__ Map warp_maps[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  std::uint32_t incoming = first;
  const unsigned end = n;  // unsigned, as the last step may exceed the largest int
  for (unsigned start = 0; start < end; start += kThreads) {
    const unsigned i = start + threadIdx.x;
    const Map inclusive = warp_inclusive_scan(i < end ? Map{a[i], b[i]} : identity());
    if (lane == kLanes - 1) warp_maps[warp] = inclusive;
    __syncthreads();  // as many maps as lanes: every warp scans them for itself
    const std::uint32_t after_warp = apply(warp_inclusive_scan(warp_maps[lane]), incoming);
    __syncthreads();  // all have read them; the next turn writes them
    const std::uint32_t before_warp = __shfl_sync(kAllLanes, after_warp, warp - 1);
    if (i < end) x[i] = apply(inclusive, warp == 0 ? incoming : before_warp);
    incoming = __shfl_sync(kAllLanes, after_warp, kWarps - 1);
  }
}

std::size_t scan_recurrence_workspace_bytes(int) { return 0; }

void scan_recurrence(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t first, std::uint32_t* x,
                     int n, void*, cudaStream_t stream) {
  if (n == 0) return;
  scan_recurrence_kernel<<<1, kThreads, 0, stream>>>(a, b, first, x, n);
  CHECK_CUDA(cudaGetLastError());
}
