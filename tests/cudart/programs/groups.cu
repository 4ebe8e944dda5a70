// Cooperative groups: tiles of a block, and a launch through cudaLaunchCooperativeKernel.
#include <cooperative_groups.h>

#include <cstdio>

namespace groups = cooperative_groups;

__global__ void sum_kernel(int* sums) {
  const groups::thread_block block = groups::this_thread_block();
  const auto tile = groups::tiled_partition<16>(block);
  int value = static_cast<int>(block.thread_rank());
  for (int distance = 8; distance > 0; distance /= 2) value += tile.shfl_down(value, distance);
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;
  block.sync();
}

int main() {
  constexpr int tiles = 4;
  int* sums = nullptr;
  cudaMalloc(&sums, tiles * sizeof(int));
  void* arguments[] = {&sums};
  if (cudaLaunchCooperativeKernel(sum_kernel, dim3(1), dim3(16 * tiles), arguments) != cudaSuccess) return 1;
  int found[tiles] = {};
  if (cudaMemcpy(found, sums, sizeof(found), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int tile = 0; tile < tiles; ++tile) {
    if (found[tile] != 16 * 16 * tile + 120) return 3;
  }
  std::puts("groups agree");
  return 0;
}
