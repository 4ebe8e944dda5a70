// Merge sort of rows, one block per row, one thread per key: a warp sorts 32 keys by their ranks, and then
// each key finds its place in a merged run by a binary search. Lecture: 14-block-sort.
// Bound: searches in shared memory, of which each load waits for the one before.
#include "block_sort.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kLongest = 1024;

// [rank-in-warp]
/// How many keys of the warp come before that of this lane. Of equal keys that of the lower lane comes first.
__device__ int warp_rank(std::uint32_t key) {
  const int lane = threadIdx.x % kLanes;
  int rank = 0;
  for (int other = 0; other < kLanes; ++other) {
    const std::uint32_t its_key = __shfl_sync(kAllLanes, key, other);
    rank += its_key < key || (its_key == key && other < lane) ? 1 : 0;
  }
  return rank;
}
// [rank-in-warp]

// [rank-in-run]
/// How many keys of a sorted run come before `key`: those that are smaller, and unless `key` goes first
/// those that are equal.
__device__ int rank_in_run(const std::uint32_t* run, int count, std::uint32_t key, bool goes_first) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (goes_first ? run[middle] < key : run[middle] <= key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
// [rank-in-run]

__global__ void block_sort_kernel(const std::uint32_t* keys, std::uint32_t* sorted, int length) {
  __shared__ std::uint32_t buffers[2][kLongest];
  const int i = threadIdx.x;
  const int first = blockIdx.x * length;
  std::uint32_t* from = buffers[0];
  std::uint32_t* to = buffers[1];
  // Threads behind the row hold what comes last in their warp, behind all keys that are equal too.
  const std::uint32_t loaded = i < length ? keys[first + i] : 0xffffffff;
  from[i / kLanes * kLanes + warp_rank(loaded)] = loaded;
  __syncthreads();

  // [merge-by-rank]
  for (int run = kLanes; run < length; run *= 2) {
    if (i < length) {
      const std::uint32_t key = from[i];
      const int own = i / run * run, other = own ^ run;    // where the two runs of a pair begin
      const int count = min(max(length - other, 0), run);  // the last run may be shorter, or missing
      const int rank = rank_in_run(from + other, count, key, own < other);
      to[min(own, other) + (i - own) + rank] = key;
    }
    __syncthreads();  // the merged runs are complete, and nobody reads the old ones any more
    std::uint32_t* const merged = to;
    to = from;
    from = merged;
  }
  // [merge-by-rank]

  if (i < length) sorted[first + i] = from[i];
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  const int threads = lockstep::divide_up(length, kLanes) * kLanes;
  block_sort_kernel<<<rows, threads, 0, stream>>>(keys, sorted, length);
  CHECK_CUDA(cudaGetLastError());
}
