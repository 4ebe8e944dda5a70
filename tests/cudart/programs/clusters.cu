// Clusters of blocks: a histogram over their shared memory, launches with and without a compiled size, and
// the queries about them.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace groups = cooperative_groups;

constexpr int kThreads = 64, kValues = 4 * kThreads;

// Each block counts the values whose remainder is in its own part; the others reach it there.
__device__ void count(int* counts, const int* values) {
  __shared__ int part[kThreads];
  const groups::cluster_group cluster = groups::this_cluster();
  part[threadIdx.x] = 0;
  cluster.sync();
  const auto blocks = static_cast<int>(cluster.num_blocks());
  for (auto i = static_cast<int>(cluster.thread_rank()); i < kValues;
       i += static_cast<int>(cluster.num_threads())) {
    const int bin = values[i] % (blocks * kThreads);
    atomicAdd(cluster.map_shared_rank(part, bin / kThreads) + bin % kThreads, 1);
  }
  cluster.sync();
  if (blockIdx.x < cluster.num_blocks()) counts[cluster.thread_rank()] = part[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) pair_kernel(int* counts, const int* values) {
  count(counts, values);
}
__global__ void any_kernel(int* counts, const int* values) { count(counts, values); }

int main() {
  std::vector<int> values(kValues);
  for (int i = 0; i < kValues; ++i) values[i] = i * i;
  int *device_values = nullptr, *device_counts = nullptr;
  cudaMalloc(&device_values, kValues * sizeof(int));
  cudaMalloc(&device_counts, 16 * kThreads * sizeof(int));
  cudaMemcpy(device_values, values.data(), kValues * sizeof(int), cudaMemcpyHostToDevice);
  const auto agree = [&](int blocks) {
    std::vector<int> expected(blocks * kThreads, 0), found(blocks * kThreads);
    for (const int value : values) ++expected[value % (blocks * kThreads)];
    return cudaMemcpy(found.data(), device_counts, found.size() * sizeof(int), cudaMemcpyDeviceToHost) ==
               cudaSuccess &&
           found == expected;
  };

  pair_kernel<<<6, kThreads>>>(device_counts, device_values);
  if (!agree(2)) return 1;
  pair_kernel<<<5, kThreads>>>(device_counts, device_values);
  if (cudaGetLastError() != cudaErrorInvalidClusterSize) return 2;

  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 16;
  configuration.blockDim = kThreads;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  const int* inputs = device_values;
  if (cudaLaunchKernelEx(&configuration, any_kernel, device_counts, inputs) != cudaSuccess) return 3;
  if (!agree(4)) return 4;

  // More than 8 blocks need leave.
  attribute.val.clusterDim.x = 16;
  if (cudaLaunchKernelEx(&configuration, any_kernel, device_counts, inputs) != cudaErrorInvalidClusterSize)
    return 5;
  cudaGetLastError();
  if (cudaFuncSetAttribute(any_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess)
    return 6;
  if (cudaLaunchKernelEx(&configuration, any_kernel, device_counts, inputs) != cudaSuccess || !agree(16))
    return 7;

  int clusters = 0, size = 0, supported = 0;
  attribute.val.clusterDim.x = 4;
  if (cudaOccupancyMaxActiveClusters(&clusters, any_kernel, &configuration) != cudaSuccess || clusters < 1)
    return 8;
  if (cudaOccupancyMaxPotentialClusterSize(&size, any_kernel, &configuration) != cudaSuccess || size != 16)
    return 9;
  cudaFuncAttributes attributes{};
  cudaFuncGetAttributes(&attributes, pair_kernel);
  if (attributes.requiredClusterWidth != 2) return 10;
  cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0);
  if (supported != 1) return 11;
  std::puts("clusters meet");
  return 0;
}
