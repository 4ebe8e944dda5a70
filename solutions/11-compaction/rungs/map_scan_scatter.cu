// fails: bytes-per-element
// at: if (position < n) values[position] += before[blockIdx.x];
// Compaction by map, scan and scatter: a flag per element, positions by a scan of the flags, and a store for
// each element that is kept. Lecture: 11-compaction.
// Bound: memory bandwidth at 36 bytes per element of which half are kept; 25 of them are flags and positions.
#include "compaction.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 1024;  // elements, and threads of a block
constexpr int kWarps = kTile / kLanes;

// [map]
__global__ void flag_kernel(const std::uint32_t* in, std::uint32_t limit, int n, int* flags) {
  const int position = blockIdx.x * kTile + threadIdx.x;
  if (position < n) flags[position] = in[position] < limit ? 1 : 0;
}
// [map]

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

// [scatter]
__global__ void scatter_kernel(const std::uint32_t* in, std::uint32_t limit, const int* positions, int n,
                               std::uint32_t* out, std::uint32_t* count) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t value = in[i];
  const bool is_kept = value < limit;
  if (is_kept) out[positions[i]] = value;
  if (i == n - 1) *count = positions[i] + (is_kept ? 1 : 0);  // the scan is exclusive
}
// [scatter]

std::size_t compaction_workspace_bytes(int n) {
  std::size_t words = n;  // flags, and the totals of the tiles, the totals of tiles of those, and so on
  for (int tiles = n; tiles > 1;) {
    tiles = lockstep::divide_up(tiles, kTile);
    words += tiles;
  }
  return (words + 1) * sizeof(int);  // a single element has a total too
}

void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void* workspace, cudaStream_t stream) {
  if (n == 0) {  // a grid without blocks is an error
    CHECK_CUDA(cudaMemsetAsync(count, 0, sizeof(*count), stream));
    return;
  }
  const int tiles = lockstep::divide_up(n, kTile);
  int* const flags = static_cast<int*>(workspace);
  flag_kernel<<<tiles, kTile, 0, stream>>>(in, limit, n, flags);
  CHECK_CUDA(cudaGetLastError());
  scan_level(flags, n, flags + n, stream);
  scatter_kernel<<<tiles, kTile, 0, stream>>>(in, limit, flags, n, out, count);
  CHECK_CUDA(cudaGetLastError());
}
