// The whole block's group is synchronised in a branch, and again after it.
// expect: bad-sync
// says: wait at different barriers
#include "planted_bug.h"

template <bool kFixed>
__global__ void phases_kernel(int* values) {
  __shared__ int total;
  const auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() < 32) {
    if (block.thread_rank() == 0) total = values[0];
    if constexpr (!kFixed) block.sync();  // <- earlier
  }
  block.sync();  // <- here
  values[threadIdx.x] = total;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  phases_kernel<kFixed><<<1, 64>>>(values);
}
