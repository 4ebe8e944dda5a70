// CUB's sort of a block by merges, to compare with: each thread sorts some keys of its own, and all merge
// along the merge path. Keys come in any order, so that neighbouring threads load neighbours.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_store.cuh>

#include "block_sort.h"
#include "lockstep/check_cuda.h"

constexpr std::uint32_t kPadding = 0xffffffff;

struct IsLess {
  __device__ bool operator()(std::uint32_t left, std::uint32_t right) const { return left < right; }
};

/// Each thread has `kKeys` keys.
template <int kThreads, int kKeys, bool kIsFull>
__global__ void __launch_bounds__(kThreads)
    block_sort_kernel(const std::uint32_t* all_keys, std::uint32_t* sorted, int length) {
  using Sort = cub::BlockMergeSort<std::uint32_t, kThreads, kKeys>;
  using Store = cub::BlockStore<std::uint32_t, kThreads, kKeys, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } temporary;
  all_keys += blockIdx.x * length;
  sorted += blockIdx.x * length;
  std::uint32_t keys[kKeys];
  if constexpr (kIsFull) {
    cub::LoadDirectStriped<kThreads>(threadIdx.x, all_keys, keys);
  } else {
    cub::LoadDirectStriped<kThreads>(threadIdx.x, all_keys, keys, length, kPadding);
  }
  Sort(temporary.sort).Sort(keys, IsLess{});
  __syncthreads();  // the memory is used again
  if constexpr (kIsFull) {
    Store(temporary.store).Store(sorted, keys);
  } else {
    Store(temporary.store).Store(sorted, keys, length);
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
  // Of 4, 8, 16 and 32 keys per thread those that took least time on an H200; a warp is the least block.
  if (length <= 128)
    sort_rows<32, 4>(keys, sorted, rows, length, stream);
  else if (length <= 256)
    sort_rows<32, 8>(keys, sorted, rows, length, stream);
  else if (length <= 512)
    sort_rows<64, 8>(keys, sorted, rows, length, stream);
  else
    sort_rows<64, 16>(keys, sorted, rows, length, stream);
}
