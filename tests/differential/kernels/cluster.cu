// Clusters of blocks: their barrier, and loads, stores and atomics in each other's shared memory.
#include <cooperative_groups.h>

#include "ptx.h"
#include "suite.h"

namespace groups = cooperative_groups;

KERNEL(cluster_ranks, 64, 256, 2, 8, 32, 0, 4) {
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = cluster.block_rank() + 100 * cluster.num_blocks();
  out[t + 256] = cluster.thread_rank() + 1000 * (blockIdx.x / cluster.num_blocks());
  cluster.sync();
}
KERNEL(cluster_neighbours, 256, 256, 1, 4, 64, 0, 2) {
  __shared__ std::uint32_t shared[64];
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = in[t] * 3;
  cluster.sync();
  out[t] = cluster.map_shared_rank(shared, cluster.block_rank() ^ 1)[63 - threadIdx.x];
  cluster.sync();
}
KERNEL(cluster_stores, 256, 256, 1, 4, 64, 0, 4) {
  __shared__ std::uint32_t shared[64];
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  cluster.sync();
  cluster.map_shared_rank(shared, (cluster.block_rank() + 1) % 4)[threadIdx.x ^ 5] = in[t];
  cluster.sync();
  out[t] = shared[threadIdx.x];
}
KERNEL(cluster_atomics, 256, 64, 1, 4, 64, 0, 4) {
  __shared__ std::uint32_t counts[16];
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  cluster.sync();
  const unsigned bin = in[t] % 64;
  atomicAdd(cluster.map_shared_rank(counts, bin / 16) + bin % 16, 1);
  cluster.sync();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = counts[threadIdx.x];
}
KERNEL(cluster_arrive_wait, 128, 128, 1, 2, 64, 0, 2) {
  __shared__ std::uint32_t shared[64];
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = in[t];
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  const std::uint32_t own = in[t] * 5;
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  std::uint32_t address = 0, value = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&shared[threadIdx.x ^ 1]))),
                 "r"(1 - blockIdx.x));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  out[t] = own + value;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
KERNEL(cluster_vectors, 256, 256, 1, 2, 32, 0, 2) {
  __shared__ alignas(16) uint4 shared[32];
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = reinterpret_cast<const uint4*>(in)[t];
  cluster.sync();
  reinterpret_cast<uint4*>(out)[t] =
      cluster.map_shared_rank(shared, 1 - cluster.block_rank())[31 - threadIdx.x];
  cluster.sync();
}
