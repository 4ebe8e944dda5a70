// CUB's radix sort of a block, to compare with: it counts digits in shared memory, and moves the keys there
// once for each digit. Keys come in any order, so that neighbouring threads load and store neighbours.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

#include "block_sort.h"
#include "lockstep/check_cuda.h"

constexpr int kDigitBits = 4;
constexpr std::uint32_t kPadding = 0xffffffff;

/// Each thread has `kKeys` keys.
template <int kThreads, int kKeys, bool kIsFull>
__global__ void __launch_bounds__(kThreads)
    block_sort_kernel(const std::uint32_t* all_keys, std::uint32_t* sorted, int length) {
  using Sort = cub::BlockRadixSort<std::uint32_t, kThreads, kKeys, cub::NullType, kDigitBits>;
  __shared__ typename Sort::TempStorage temporary;
  all_keys += blockIdx.x * length;
  sorted += blockIdx.x * length;
  std::uint32_t keys[kKeys];
  if constexpr (kIsFull) {
    cub::LoadDirectStriped<kThreads>(threadIdx.x, all_keys, keys);
  } else {
    cub::LoadDirectStriped<kThreads>(threadIdx.x, all_keys, keys, length, kPadding);
  }
  Sort(temporary).SortBlockedToStriped(keys);
  if constexpr (kIsFull) {
    cub::StoreDirectStriped<kThreads>(threadIdx.x, sorted, keys);
  } else {
    cub::StoreDirectStriped<kThreads>(threadIdx.x, sorted, keys, length);
  }
}

template <int kThreads, int kKeys>
void sort_rows(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (length == kThreads * kKeys) {
    block_sort_kernel<kThreads, kKeys, true><<<rows, kThreads, 0, stream>>>(keys, sorted, length);
  } else {
    block_sort_kernel<kThreads, kKeys, false><<<rows, kThreads, 0, stream>>>(keys, sorted, length);
  }
  CHECK_CUDA(cudaGetLastError());
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  // Of 4, 8 and 16 keys per thread those that took least time on an H200; a warp is the least block.
  if (length <= 128)
    sort_rows<32, 4>(keys, sorted, rows, length, stream);
  else if (length <= 256)
    sort_rows<32, 8>(keys, sorted, rows, length, stream);
  else if (length <= 512)
    sort_rows<32, 16>(keys, sorted, rows, length, stream);
  else
    sort_rows<64, 16>(keys, sorted, rows, length, stream);
}
