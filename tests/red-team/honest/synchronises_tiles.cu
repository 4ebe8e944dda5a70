// expect: passed
// expect-gpu: too-slow
// exercise: block-scan
// shows: Tiles of several warps: their barriers poll words of shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "block_scan.h"

namespace cg = cooperative_groups;

constexpr int kTile = 128;

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ cg::block_tile_memory<kTile> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<kTile>(block);
  const long first = static_cast<long>(blockIdx.x) * length;
  int carry = 0;
  for (int start = 0; start < length; start += kTile) {
    const int i = start + static_cast<int>(threadIdx.x);
    const int value = i < length ? in[first + i] : 0;
    const int before = cg::exclusive_scan(tile, value, cg::plus<int>());
    if (i < length) out[first + i] = carry + before;
    carry += tile.shfl(before + value, kTile - 1);
  }
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;
  block_scan_kernel<<<segments, kTile, 0, stream>>>(in, out, length);
}
