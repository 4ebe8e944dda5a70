// Tiles that arrive asynchronously: a cuda::pipeline of two stages with producers and consumers, copies that
// a cuda::barrier awaits, and a bulk copy there and back.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include <cstdio>
#include <utility>
#include <vector>

namespace groups = cooperative_groups;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kTile = 128, kTiles = 6;

// Sum over the tiles, by the second half of the block; the first half copies.
__global__ void pipeline_kernel(int* sums, const int* values) {
  __shared__ alignas(16) int stages[2][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const groups::thread_block block = groups::this_thread_block();
  const bool produces = threadIdx.x < kTile;
  const unsigned int i = threadIdx.x % kTile;
  auto pipe = cuda::make_pipeline(block, &state,
                                  produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stages[tile % 2][i], &values[tile * kTile + i], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += stages[tile % 2][kTile - 1 - i];
      pipe.consumer_release();
    }
  }
  if (!produces) sums[i] = sum;
}

// Every phase of the barrier is a tile; the thread reads what another thread's copy brought.
__global__ void barrier_kernel(int* sums, const int* values) {
  __shared__ alignas(16) int stage[kTile];
  __shared__ Barrier barrier;
  const groups::thread_block block = groups::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  block.sync();
  int sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    cuda::memcpy_async(block, stage, values + tile * kTile, cuda::aligned_size_t<16>(sizeof(stage)), barrier);
    barrier.arrive_and_wait();
    sum += stage[kTile - 1 - threadIdx.x];
    Barrier::arrival_token token = barrier.arrive();
    barrier.wait(std::move(token));
  }
  sums[threadIdx.x] = sum;
}

__global__ void bulk_kernel(int* to, const int* from) {
  __shared__ alignas(128) int stage[kTile];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(stage, from, cuda::aligned_size_t<16>(sizeof(stage)), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(stage));
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  stage[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, stage, sizeof(stage));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

int main() {
  std::vector<int> values(kTile * kTiles), found(kTile);
  for (int i = 0; i < kTile * kTiles; ++i) values[i] = i * i % 1009;
  int *device_values = nullptr, *device_found = nullptr;
  cudaMalloc(&device_values, values.size() * sizeof(int));
  cudaMalloc(&device_found, kTile * sizeof(int));
  cudaMemcpy(device_values, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
  const auto agree = [&](auto expected) {
    if (cudaMemcpy(found.data(), device_found, kTile * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
      return false;
    for (int i = 0; i < kTile; ++i) {
      if (found[i] != expected(i)) return false;
    }
    return true;
  };
  const auto sum_of_mirror = [&](int i) {
    int sum = 0;
    for (int tile = 0; tile < kTiles; ++tile) sum += values[tile * kTile + kTile - 1 - i];
    return sum;
  };
  pipeline_kernel<<<1, 2 * kTile>>>(device_found, device_values);
  if (!agree(sum_of_mirror)) return 1;
  barrier_kernel<<<1, kTile>>>(device_found, device_values);
  if (!agree(sum_of_mirror)) return 2;
  bulk_kernel<<<1, kTile>>>(device_found, device_values);
  if (!agree([&](int i) { return values[i] + 1; })) return 3;
  std::puts("copies have arrived");
  return 0;
}
