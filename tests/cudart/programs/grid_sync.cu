// A cooperative launch whose blocks meet at grid.sync(), groups larger than a warp, and the same kernel where
// the launch is not cooperative.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace groups = cooperative_groups;

constexpr int kThreads = 128;

// Each round replaces every value by its neighbour's, across blocks.
__global__ void rotate_kernel(int* values, int* spare, int n, int rounds) {
  const groups::grid_group grid = groups::this_grid();
  const auto i = static_cast<int>(grid.thread_rank());
  for (int round = 0; round < rounds; ++round) {
    if (i < n) spare[i] = values[(i + 1) % n];
    grid.sync();
    if (i < n) values[i] = spare[i];
    grid.sync();
  }
}

__global__ void group_kernel(int* results) {
  const groups::thread_block block = groups::this_thread_block();
  const auto wide = groups::tiled_partition<64>(block);
  const auto warp = groups::tiled_partition<32>(block);
  const auto rank = static_cast<int>(block.thread_rank());
  int result = groups::reduce(wide, rank, groups::plus<int>());
  result += groups::inclusive_scan(warp, 1) + groups::exclusive_scan(warp, 2);
  const auto thirds = groups::labeled_partition(warp, rank % 3);
  result += 100'000 * groups::reduce(thirds, 1, groups::plus<int>());
  const auto halves = groups::binary_partition(warp, rank % 2 == 0);
  if (halves.thread_rank() == 0) result += 10'000'000;
  if (rank % 4 == 1) {
    const auto active = groups::coalesced_threads();
    groups::invoke_one(active, [&] { result += 100'000'000; });
  }
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  results[rank] = result;
}

int main(int argc, char** argv) {
  const bool plain = argc > 1 && std::strcmp(argv[1], "plain") == 0;
  constexpr int blocks = 8, n = blocks * kThreads - 5;
  int rounds = 3, count = n;
  int *values = nullptr, *spare = nullptr;
  cudaMalloc(&values, blocks * kThreads * sizeof(int));
  cudaMalloc(&spare, blocks * kThreads * sizeof(int));
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = 7 * i;
  cudaMemcpy(values, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  if (plain) {
    rotate_kernel<<<blocks, kThreads>>>(values, spare, n, rounds);
    return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 0 : 1;
  }
  void* arguments[] = {&values, &spare, &count, &rounds};
  if (cudaLaunchCooperativeKernel(rotate_kernel, dim3(blocks), dim3(kThreads), arguments) != cudaSuccess)
    return 2;
  cudaMemcpy(host.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    if (host[i] != 7 * ((i + rounds) % n)) return 3;
  }
  if (cudaLaunchCooperativeKernel(rotate_kernel, dim3(100'000), dim3(kThreads), arguments) !=
      cudaErrorCooperativeLaunchTooLarge) {
    return 4;
  }
  cudaGetLastError();
  group_kernel<<<1, kThreads>>>(values);
  if (cudaMemcpy(host.data(), values, kThreads * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
    return 5;
  for (int i = 0; i < kThreads; ++i) {
    const int first = i / 64 * 64, lane = i % 32, warp_first = i - lane;
    int expected = 0;
    for (int k = first; k < first + 64; ++k) expected += k;
    expected += lane + 1 + 2 * lane;
    for (int k = warp_first; k < warp_first + 32; ++k) expected += k % 3 == i % 3 ? 100'000 : 0;
    if (lane < 2) expected += 10'000'000;
    if (lane == 1) expected += 100'000'000;
    if (host[i] != expected) return 6;
  }
  std::puts("the grid meets");
  return 0;
}
