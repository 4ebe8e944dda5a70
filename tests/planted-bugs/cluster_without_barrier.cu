// A block reads the shared memory of another one of its cluster, which has not written it yet.
// expect: uninitialised-read
// says: of the cluster, which nothing has written
#include "planted_bug.h"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) exchange_kernel(int* values) {
  __shared__ int value;
  const auto cluster = cooperative_groups::this_cluster();
  value = static_cast<int>(cluster.block_rank());
  if constexpr (kFixed) cluster.sync();
  values[blockIdx.x] = *cluster.map_shared_rank(&value, cluster.block_rank() ^ 1);  // <- here
  cluster.sync();
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(2);
  exchange_kernel<kFixed><<<2, 1>>>(values);
}
