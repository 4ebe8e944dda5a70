// Indices that are data: a gather, a scatter to places that differ, and a scatter in which many threads add
// to one place. Lecture 02, First kernels.
#include <cstdio>
#include <exception>
#include <numeric>
#include <utility>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

// [gather]
__global__ void gather_kernel(const int* in, const int* from, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[from[i]];
}
// [gather]

// [scatter]
__global__ void scatter_kernel(const int* in, const int* to, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[to[i]] = in[i];  // no two elements of `to` may be equal
}
// [scatter]

// [scatter-add]
__global__ void scatter_add_kernel(const int* in, const int* group, int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[group[i]], in[i]);
}
// [scatter-add]

constexpr int kElements = 1'000'003, kGroups = 1009, kThreads = 256;

int* copy_to_device(const std::vector<int>& values) {
  int* copy = nullptr;
  CHECK_CUDA(cudaMalloc(&copy, values.size() * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(copy, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  return copy;
}

bool equals(const char* name, const int* device_found, const std::vector<int>& expected) {
  std::vector<int> found(expected.size());
  CHECK_CUDA(cudaMemcpy(found.data(), device_found, found.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i]) continue;
    std::printf("gather_scatter: %s: element %zu is %d, expected %d\n", name, i, found[i], expected[i]);
    return false;
  }
  return true;
}

int main() try {
  lockstep::SplitMix64 random(3);
  const std::vector<int> in = random.integers(kElements, -1000, 1000);
  const std::vector<int> group = random.integers(kElements, 0, kGroups - 1);
  std::vector<int> order(kElements);  // a permutation: every place once
  std::iota(order.begin(), order.end(), 0);
  for (int i = kElements - 1; i > 0; --i) std::swap(order[i], order[random.integer(0, i)]);

  std::vector<int> gathered(kElements), scattered(kElements), sums(kGroups);
  for (int i = 0; i < kElements; ++i) {
    gathered[i] = in[order[i]];
    scattered[order[i]] = in[i];
    sums[group[i]] += in[i];
  }

  // With names: nvcc 13.0 takes ten seconds more where the argument is std::vector<int>(kElements).
  const std::vector<int> zeros(kElements), zero_sums(kGroups);
  int* const device_in = copy_to_device(in);
  int* const device_order = copy_to_device(order);
  int* const device_group = copy_to_device(group);
  int* const device_out = copy_to_device(zeros);
  int* const device_sums = copy_to_device(zero_sums);
  const int blocks = lockstep::divide_up(kElements, kThreads);

  gather_kernel<<<blocks, kThreads>>>(device_in, device_order, device_out, kElements);
  CHECK_CUDA(cudaGetLastError());
  bool right = equals("gather", device_out, gathered);
  scatter_kernel<<<blocks, kThreads>>>(device_in, device_order, device_out, kElements);
  CHECK_CUDA(cudaGetLastError());
  right = equals("scatter", device_out, scattered) && right;
  scatter_add_kernel<<<blocks, kThreads>>>(device_in, device_group, device_sums, kElements);
  CHECK_CUDA(cudaGetLastError());
  right = equals("scatter with atomicAdd", device_sums, sums) && right;

  for (int* const buffer : {device_in, device_order, device_group, device_out, device_sums}) {
    CHECK_CUDA(cudaFree(buffer));
  }
  if (right) std::printf("gather_scatter: %d elements, %d groups, all right\n", kElements, kGroups);
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("gather_scatter: %s\n", error.what());
  return 1;
}
