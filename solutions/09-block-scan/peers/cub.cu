// CUB's scan within a block, to compare with, as fast as it comes for each length: eight elements per thread,
// as many threads as that takes, and loads and stores of neighbours that a warp turns in shared memory. Tried
// on an H200: 4, 16 and 32 elements per thread, vectors, and the block's transpose in place of the warp's.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kElements = 8;  // of a thread

template <int kThreads, bool kIsFull>
__global__ void __launch_bounds__(kThreads) block_scan_kernel(const int* in, int* out, int length) {
  using Load = cub::BlockLoad<int, kThreads, kElements, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Store = cub::BlockStore<int, kThreads, kElements, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
    typename Store::TempStorage store;
  } temporary;
  const int* const segment_in = in + blockIdx.x * length;
  int* const segment_out = out + blockIdx.x * length;
  int values[kElements];
  if constexpr (kIsFull) {
    Load(temporary.load).Load(segment_in, values);
  } else {
    Load(temporary.load).Load(segment_in, values, length, 0);
  }
  __syncthreads();  // the memory is used again
  Scan(temporary.scan).ExclusiveSum(values, values);
  __syncthreads();
  if constexpr (kIsFull) {
    Store(temporary.store).Store(segment_out, values);
  } else {
    Store(temporary.store).Store(segment_out, values, length);
  }
}

template <int kThreads>
void scan_segments(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (length == kThreads * kElements) {
    block_scan_kernel<kThreads, true><<<segments, kThreads, 0, stream>>>(in, out, length);
  } else {
    block_scan_kernel<kThreads, false><<<segments, kThreads, 0, stream>>>(in, out, length);
  }
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  if (length <= 32 * kElements) {
    scan_segments<32>(in, out, segments, length, stream);
  } else if (length <= 64 * kElements) {
    scan_segments<64>(in, out, segments, length, stream);
  } else {
    scan_segments<128>(in, out, segments, length, stream);
  }
  CHECK_CUDA(cudaGetLastError());
}
