// A cooperative group is synchronised by some of its threads only.
// expect: bad-sync
// says: which must take part and are elsewhere
#include "planted_bug.h"

template <bool kFixed>
__global__ void tiles_kernel(int* values) {
  __shared__ int slots[64];
  namespace groups = cooperative_groups;
  const auto tile = groups::tiled_partition<32>(groups::this_thread_block());
  slots[threadIdx.x] = values[threadIdx.x];
  if constexpr (kFixed) tile.sync();
  if (tile.thread_rank() < 8) {
    if constexpr (!kFixed) tile.sync();  // <- here
    values[threadIdx.x] = slots[threadIdx.x + 8];
  }
  __syncthreads();
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  tiles_kernel<kFixed><<<1, 64>>>(values);
}
