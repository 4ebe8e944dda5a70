// Bitonic sort of rows, one warp per row with up to 32 neighbouring keys per lane in registers, the
// reference. Lecture: 14-block-sort.
// Bound: minima and maxima, one per key and step, 55 for rows of 1024; no barriers of the block, and shared
// memory serves only to store side by side.
#include "block_sort.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kWarps = 4;                       // of a block, with a row each
constexpr std::uint32_t kPadding = 0xffffffff;  // no key is larger: it stays behind all of them
constexpr int kGap = 4;  // words after every 32: lanes that store vectors meet in no bank

__device__ void order(std::uint32_t& left, std::uint32_t& right) {
  const std::uint32_t key = left;
  left = min(key, right);
  right = max(key, right);
}

// [merge-own-keys]
/// Sorts bitonic runs of twice `distance` of the lane's own keys. The loops are unrolled, as registers have
/// no index.
template <int kKeys>
__device__ void thread_merge(std::uint32_t (&keys)[kKeys], int distance) {
#pragma unroll
  for (; distance > 0; distance /= 2) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      if ((i & distance) == 0) order(keys[i], keys[i + distance]);
    }
  }
}
// [merge-own-keys]

// [sort-own-keys]
/// Sorts the lane's own keys.
template <int kKeys>
__device__ void thread_sort(std::uint32_t (&keys)[kKeys]) {
#pragma unroll
  for (int run = 2; run <= kKeys; run *= 2) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {  // two runs that ascend: the first step compares mirror images
      if ((i & run / 2) == 0) order(keys[i], keys[i ^ (run - 1)]);
    }
    thread_merge(keys, run / 4);
  }
}
// [sort-own-keys]

/// A comparison and a selection. Minimum, maximum and a selection of one of them would be three instructions.
__device__ std::uint32_t smaller_or_larger(std::uint32_t key, std::uint32_t other, bool smaller) {
  return (other < key) == smaller ? other : key;
}

/// Exchanges keys with the lane that is `distance` lanes away: the left one keeps the smaller of each two.
template <int kKeys>
__device__ void warp_step(std::uint32_t (&keys)[kKeys], int distance) {
  const bool is_left = (threadIdx.x & distance) == 0;
#pragma unroll
  for (int i = 0; i < kKeys; ++i) {
    const std::uint32_t other = __shfl_xor_sync(kAllLanes, keys[i], distance);
    keys[i] = smaller_or_larger(keys[i], other, is_left);
  }
}

/// Sorts all keys of the warp, such that lane l gets those of ranks l * kKeys and up.
template <int kKeys>
__device__ void warp_sort(std::uint32_t (&keys)[kKeys]) {
  const int lane = threadIdx.x % kLanes;
  thread_sort(keys);
  // [keys-of-a-warp]
#pragma unroll 1
  for (int lanes = 2; lanes <= kLanes; lanes *= 2) {  // the lanes of a run
    const bool is_left = (lane & lanes / 2) == 0;
#pragma unroll
    for (int i = 0; i < kKeys / 2; ++i) {  // mirror images again: the other lane's keys from the last on
      const int mirror = kKeys - 1 - i;
      const std::uint32_t other = __shfl_xor_sync(kAllLanes, keys[mirror], lanes - 1);
      const std::uint32_t its_mirror = __shfl_xor_sync(kAllLanes, keys[i], lanes - 1);
      keys[i] = smaller_or_larger(keys[i], other, is_left);
      keys[mirror] = smaller_or_larger(keys[mirror], its_mirror, is_left);
    }
#pragma unroll 1
    for (int distance = lanes / 4; distance > 0; distance /= 2) warp_step(keys, distance);
    thread_merge(keys, kKeys / 2);
  }
  // [keys-of-a-warp]
}

template <int kKeys>
__global__ void __launch_bounds__(kWarps* kLanes)
    block_sort_kernel(const std::uint32_t* all_keys, std::uint32_t* sorted, int rows, int length) {
  constexpr int kRow = kKeys * kLanes;
  __shared__ alignas(16) std::uint32_t gathered[kWarps][kRow + kRow / kLanes * kGap];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int row = blockIdx.x * kWarps + warp;
  if (row >= rows) return;  // the whole warp, and no barrier of the block follows
  all_keys += row * length + lane;
  sorted += row * length + lane;

  // In whatever order: they are to be sorted anyway. All are in flight before the first is needed.
  std::uint32_t keys[kKeys];
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    keys[k] = k * kLanes + lane < length ? __ldcs(all_keys + k * kLanes) : kPadding;
  }
  warp_sort(keys);

  // [store-side-by-side]
  std::uint32_t* const words = gathered[warp];
  const int place = lane * kKeys + lane * kKeys / kLanes * kGap;
#pragma unroll
  for (int k = 0; k < kKeys; k += 4) {
    *reinterpret_cast<uint4*>(words + place + k) = make_uint4(keys[k], keys[k + 1], keys[k + 2], keys[k + 3]);
  }
  __syncwarp();  // what the other lanes have stored
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    if (k * kLanes + lane < length) __stcs(sorted + k * kLanes, words[k * (kLanes + kGap) + lane]);
  }
  // [store-side-by-side]
}

template <int kKeys>
void start(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  block_sort_kernel<kKeys>
      <<<lockstep::divide_up(rows, kWarps), kWarps * kLanes, 0, stream>>>(keys, sorted, rows, length);
  CHECK_CUDA(cudaGetLastError());
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  if (length <= 4 * kLanes)
    start<4>(keys, sorted, rows, length, stream);
  else if (length <= 16 * kLanes)
    start<16>(keys, sorted, rows, length, stream);
  else
    start<32>(keys, sorted, rows, length, stream);
}
