// Asks how many blocks of a kernel are resident on an SM at once, for several block sizes, amounts of shared
// memory and needs of registers, and computes the same from the device's limits. Lecture 03: how a GPU runs
// it.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/random.h"

// Reverses each row of blockDim.x floats; a block has kValues rows.
template <int kValues>
__global__ void reverse_kernel(const float* in, float* out) {
  extern __shared__ float tile[];
  const int threads = blockDim.x, first = blockIdx.x * kValues * threads;
  // [independent-loads]
  float values[kValues];
#pragma unroll
  for (int k = 0; k < kValues; ++k) {
    values[k] = in[first + k * threads + threadIdx.x];
  }
  // [independent-loads]

  // Unrolled as well: an index that is known at compile time keeps the array in registers.
#pragma unroll
  for (int k = 0; k < kValues; ++k) {
    tile[threadIdx.x] = values[k];
    __syncthreads();
    out[first + k * threads + threadIdx.x] = tile[threads - 1 - threadIdx.x];
    __syncthreads();  // before the next row overwrites the tile
  }
}

int round_up(int value, int granule) { return (value + granule - 1) / granule * granule; }

// [blocks-by-formula]
int blocks_by_formula(const cudaDeviceProp& device, int registers, int threads, int shared_bytes) {
  const int warps = round_up(threads, 32) / 32;  // of a block
  const int by_warps = device.maxThreadsPerMultiProcessor / 32 / warps;

  const int granule = device.major == 7 ? 256 : 128;
  const int reserved = static_cast<int>(device.reservedSharedMemPerBlock);
  const int shared = round_up(shared_bytes + reserved, granule);  // of a block
  const int limit = static_cast<int>(device.sharedMemPerMultiprocessor);
  const int by_shared = shared == 0 ? device.maxBlocksPerMultiProcessor : limit / shared;

  // Each of the four schedulers has a quarter of the registers, and they are allocated by whole warps.
  const int warps_by_registers = 4 * (device.regsPerMultiprocessor / 4 / round_up(32 * registers, 256));
  const int by_registers = warps_by_registers / warps;

  return std::min({device.maxBlocksPerMultiProcessor, by_warps, by_shared, by_registers});
}
// [blocks-by-formula]

// [ask-occupancy]
template <class Kernel>
int resident_blocks(Kernel kernel, int threads, int shared_bytes) {
  int blocks = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return blocks;
}
// [ask-occupancy]

struct Row {
  int threads, shared_bytes;
};

// Whether a launch of such blocks reverses each row.
template <int kValues>
bool reverses(int threads, int shared_bytes) {
  const int blocks = 3, n = blocks * kValues * threads;
  const std::size_t bytes = n * sizeof(float);
  const std::vector<float> in = lockstep::SplitMix64(threads).floats(n);
  std::vector<float> out(n);
  float *device_in = nullptr, *device_out = nullptr;
  CHECK_CUDA(cudaMalloc(&device_in, bytes));
  CHECK_CUDA(cudaMalloc(&device_out, bytes));
  CHECK_CUDA(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));
  reverse_kernel<kValues><<<blocks, threads, shared_bytes>>>(device_in, device_out);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(device_in));
  CHECK_CUDA(cudaFree(device_out));
  for (int i = 0; i < n; ++i) {
    if (out[i] != in[i / threads * threads + threads - 1 - i % threads]) {
      std::printf("occupancy: %d values, %d threads: element %d is wrong\n", kValues, threads, i);
      return false;
    }
  }
  return true;
}

template <int kValues>
bool table(const cudaDeviceProp& device, std::initializer_list<Row> rows) {
  const auto kernel = reverse_kernel<kValues>;
  cudaFuncAttributes attributes{};
  CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(device.sharedMemPerBlockOptin)));
  for (const auto [threads, shared_bytes] : rows) {
    if (shared_bytes > static_cast<int>(device.sharedMemPerBlockOptin)) continue;
    const int asked = resident_blocks(kernel, threads, shared_bytes);
    const int computed = blocks_by_formula(device, attributes.numRegs, threads, shared_bytes);
    const int warps = asked * (round_up(threads, 32) / 32);
    std::printf("%4d threads, %3d registers, %6d bytes: blocks %2d, warps %2d of %d\n", threads,
                attributes.numRegs, shared_bytes, asked, warps, device.maxThreadsPerMultiProcessor / 32);
    if (asked != computed) {
      std::printf("occupancy: the runtime says %d blocks, the formula %d\n", asked, computed);
      return false;
    }
    // A launch of blocks that do not fit fails.
    if (asked > 0 && !reverses<kValues>(threads, shared_bytes)) return false;
  }
  return true;
}

int main() try {
  cudaDeviceProp device{};
  CHECK_CUDA(cudaGetDeviceProperties(&device, 0));
  std::printf(
      "%s: %d SMs, each with %d registers, %zu bytes of shared memory, at most %d threads, %d blocks\n",
      device.name, device.multiProcessorCount, device.regsPerMultiprocessor,
      device.sharedMemPerMultiprocessor, device.maxThreadsPerMultiProcessor,
      device.maxBlocksPerMultiProcessor);
  const bool right =
      table<1>(device,
               {{32, 128}, {33, 132}, {128, 512}, {256, 1024}, {256, 40000}, {768, 3072}, {1024, 100000}}) &&
      table<16>(device, {{64, 256}, {256, 1024}, {256, 100000}, {1024, 4096}});
  if (!right) return 1;
  std::printf("occupancy: runtime and formula agree, all rows reversed\n");
  return 0;
} catch (const std::exception& error) {
  std::printf("occupancy: %s\n", error.what());
  return 1;
}
