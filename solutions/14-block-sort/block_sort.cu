// Sorts rows by networks, 32 neighbouring keys per lane in registers and up to 32 lanes per row, the
// reference. Lecture: 14-block-sort.
// Bound: minima and maxima, 52 per key of a row of 1024; passes through shared memory come next, 22 per 32
// keys. There are neither barriers of the block nor shuffles.
#include "block_sort.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr int kKeys = 32;                       // of a lane: as many as there are lanes
constexpr int kWarps = 4;                       // of a block
constexpr std::uint32_t kPadding = 0xffffffff;  // no key is larger: it stays behind all of them
constexpr int kStride = kKeys + 4;  // words from lane to lane: lanes that store vectors meet in no bank

__device__ void order(std::uint32_t& left, std::uint32_t& right) {
  const std::uint32_t key = left;
  left = min(key, right);
  right = max(key, right);
}

// [sort-own-keys]
/// Sorts the lane's own keys by odd-even merges. The loops are unrolled, as registers have no index.
__device__ void thread_sort(std::uint32_t (&keys)[kKeys]) {
#pragma unroll
  for (int run = 1; run < kKeys; run *= 2) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      if ((i & run) == 0) order(keys[i], keys[i + run]);
    }
#pragma unroll
    for (int distance = run / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (int i = 0; i < kKeys; ++i) {
        const bool is_inside = i % (2 * run) < 2 * run - distance;  // its partner is in the merged run
        if ((i & distance) != 0 && is_inside) order(keys[i], keys[i + distance]);
      }
    }
  }
}
// [sort-own-keys]

// [merge-own-keys]
/// Sorts bitonic runs of twice `distance` of the lane's own keys.
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

/// Each lane stores its own keys, as vectors of four.
__device__ void store_own(const std::uint32_t (&keys)[kKeys], std::uint32_t* words) {
  std::uint32_t* const own = words + threadIdx.x % kLanes * kStride;
#pragma unroll
  for (int k = 0; k < kKeys; k += 4) {
    *reinterpret_cast<uint4*>(own + k) = make_uint4(keys[k], keys[k + 1], keys[k + 2], keys[k + 3]);
  }
}

/// From columns, where lane l has the l-th key of each lane, to each lane's own keys.
__device__ void columns_to_own(std::uint32_t (&keys)[kKeys], std::uint32_t* words) {
  const int lane = threadIdx.x % kLanes;
#pragma unroll
  for (int k = 0; k < kKeys; ++k) words[k * kStride + lane] = keys[k];
  __syncwarp();  // the others have stored
#pragma unroll
  for (int k = 0; k < kKeys; k += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(words + lane * kStride + k);
    keys[k] = four.x;
    keys[k + 1] = four.y;
    keys[k + 2] = four.z;
    keys[k + 3] = four.w;
  }
}

// [merge-lanes]
/// Merges runs of `lanes` / 2 lanes.
__device__ void warp_merge(std::uint32_t (&keys)[kKeys], int lanes, std::uint32_t* words) {
  const int lane = threadIdx.x % kLanes;
  store_own(keys, words);
  __syncwarp();  // the others have stored
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {  // a key of lane k, but the right run of each two is read backwards
    const bool is_right = (k & lanes / 2) != 0;
    const int mirror = k ^ (lanes / 2 - 1);
    keys[k] = is_right ? words[mirror * kStride + kKeys - 1 - lane] : words[k * kStride + lane];
  }
  thread_merge(keys, lanes / 2);  // the steps between lanes
  __syncwarp();                   // the others have read their columns
  columns_to_own(keys, words);
  thread_merge(keys, kKeys / 2);
}
// [merge-lanes]

/// Each warp sorts as many rows as it has `kRowLanes` lanes for.
template <int kRowLanes>
__global__ void __launch_bounds__(kWarps* kLanes)
    block_sort_kernel(const std::uint32_t* all_keys, std::uint32_t* sorted, int rows, int length) {
  __shared__ alignas(16) std::uint32_t all_words[kWarps][kLanes * kStride];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int first = (blockIdx.x * kWarps + warp) * (kLanes / kRowLanes);  // of the warp's rows
  const int rows_left = rows - first;
  if (rows_left <= 0) return;  // the whole warp, and no barrier of the block follows
  all_keys += first * length + lane;
  sorted += first * length + lane;
  // Of which of the warp's rows the k-th load and store are, and from which of its keys on.
  const auto row = [](int k) { return k / kRowLanes; };
  const auto begin = [](int k) { return k % kRowLanes * kLanes; };
  const auto is_key = [=](int k) { return row(k) < rows_left && begin(k) < length - lane; };

  // All are in flight before the first is needed.
  std::uint32_t keys[kKeys];
#pragma unroll
  for (int k = 0; k < kKeys; ++k)
    keys[k] = is_key(k) ? __ldcs(all_keys + row(k) * length + begin(k)) : kPadding;

  std::uint32_t* const words = all_words[warp];
  // [rows-of-a-warp]
  if constexpr (kRowLanes < kLanes) columns_to_own(keys, words);  // each row to its own lanes
  thread_sort(keys);
#pragma unroll
  for (int lanes = 2; lanes <= kRowLanes; lanes *= 2) warp_merge(keys, lanes, words);
  // [rows-of-a-warp]

  // [store-side-by-side]
  store_own(keys, words);
  __syncwarp();  // what the other lanes have stored
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    if (is_key(k)) __stcs(sorted + row(k) * length + begin(k), words[k * kStride + lane]);
  }
  // [store-side-by-side]
}

template <int kRowLanes>
void start(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  constexpr int kRows = kWarps * (kLanes / kRowLanes);  // of a block
  block_sort_kernel<kRowLanes>
      <<<lockstep::divide_up(rows, kRows), kWarps * kLanes, 0, stream>>>(keys, sorted, rows, length);
  CHECK_CUDA(cudaGetLastError());
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  if (length <= 4 * kKeys)
    start<4>(keys, sorted, rows, length, stream);
  else if (length <= 8 * kKeys)
    start<8>(keys, sorted, rows, length, stream);
  else if (length <= 16 * kKeys)
    start<16>(keys, sorted, rows, length, stream);
  else
    start<32>(keys, sorted, rows, length, stream);
}
