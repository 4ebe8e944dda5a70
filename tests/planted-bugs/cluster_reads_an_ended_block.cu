// A block reads the shared memory of another one of its cluster, which may have ended by then.
// expect: out-of-bounds
// status: 1
// says: whose threads have exited
// asks: the index wrong
#include "planted_bug.h"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) exchange_kernel(int* values) {
  __shared__ int value;
  const auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) value = static_cast<int>(cluster.block_rank());
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    values[0] = *cluster.map_shared_rank(&value, 1);  // <- here
  }
  if constexpr (kFixed) cluster.sync();
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(1);
  exchange_kernel<kFixed><<<2, 32>>>(values);
}
