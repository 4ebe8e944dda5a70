// Function attributes and occupancy, and dynamic shared memory beyond 48 KiB.
#include <cstdio>

__global__ void stage_kernel(int* out, int words) {
  extern __shared__ int stage[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) stage[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = stage[words - 1];
}

int resident(int threads, std::size_t shared_bytes) {
  int blocks = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stage_kernel, threads, shared_bytes);
  return blocks;
}

int main() {
  constexpr int kLarge = 100 * 1024;
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, stage_kernel) != cudaSuccess) return 1;
  if (attributes.sharedSizeBytes != 0 || attributes.maxThreadsPerBlock != 1024) return 2;
  if (attributes.maxDynamicSharedSizeBytes != 48 * 1024) return 3;
  if (resident(1024, 0) != 2 || resident(256, 0) != 8 || resident(32, 0) != 32) return 4;
  if (resident(256, kLarge) != 2 || resident(256, 32 * 1024) != 6) return 5;
  if (resident(2048, 0) != 0) return 6;

  int *out, found = 0;
  cudaMalloc(&out, sizeof(int));
  stage_kernel<<<1, 128, kLarge>>>(out, kLarge / 4);
  if (cudaGetLastError() != cudaErrorInvalidValue) return 7;
  if (cudaFuncSetAttribute(stage_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) !=
      cudaErrorInvalidValue) {
    return 8;
  }
  cudaGetLastError();
  if (cudaFuncSetAttribute(stage_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kLarge) != cudaSuccess)
    return 9;
  stage_kernel<<<1, 128, kLarge>>>(out, kLarge / 4);
  if (cudaGetLastError() != cudaSuccess) return 10;
  cudaMemcpy(&found, out, sizeof(int), cudaMemcpyDeviceToHost);
  if (found != kLarge / 4 - 1) return 11;

  int grid = 0, block = 0;
  if (cudaOccupancyMaxPotentialBlockSize(&grid, &block, stage_kernel) != cudaSuccess) return 12;
  if (block < 32 || block > 1024 || grid < 1) return 13;
  std::puts("occupancy as computed");
  return 0;
}
