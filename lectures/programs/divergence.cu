// Two kernels that compute the same: even elements by one function, odd ones by another. In the first the
// lanes of each warp diverge; in the second a whole warp takes even elements or odd ones. Lecture 03: how a
// GPU runs it.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

constexpr int kThreads = 256;
constexpr int kSteps = 24;

// [two-functions]
__host__ __device__ std::uint32_t shifted(std::uint32_t value, int steps) {
  for (int step = 0; step < steps; ++step) {
    value ^= value << 13;
    value ^= value >> 17;
    value ^= value << 5;
  }
  return value;
}

__host__ __device__ std::uint32_t multiplied(std::uint32_t value, int steps) {
  for (int step = 0; step < steps; ++step) {
    value = (value ^ value >> 16) * 0x7FEB352D;
    value = (value ^ value >> 15) * 0x846CA68B;
  }
  return value;
}
// [two-functions]

// [by-lane]
__global__ void by_lane_kernel(const std::uint32_t* in, std::uint32_t* out, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 2 == 0) {
    out[i] = shifted(in[i], steps);
  } else {
    out[i] = multiplied(in[i], steps);
  }
}
// [by-lane]

// [by-warp]
__global__ void by_warp_kernel(const std::uint32_t* in, std::uint32_t* out, int n, int steps) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int warp = thread / 32, lane = thread % 32;
  // Two warps share 64 elements: the first takes the even ones, the second the odd ones.
  const int i = warp / 2 * 64 + 2 * lane + warp % 2;
  if (i >= n) return;
  if (warp % 2 == 0) {
    out[i] = shifted(in[i], steps);
  } else {
    out[i] = multiplied(in[i], steps);
  }
}
// [by-warp]

// The first element that is wrong, or n.
int first_wrong(const std::vector<std::uint32_t>& in, const std::vector<std::uint32_t>& out) {
  const int n = static_cast<int>(in.size());
  for (int i = 0; i < n; ++i) {
    if (out[i] != (i % 2 == 0 ? shifted(in[i], kSteps) : multiplied(in[i], kSteps))) return i;
  }
  return n;
}

template <class Kernel>
bool try_kernel(const char* name, Kernel kernel, const std::vector<std::uint32_t>& in) {
  const int n = static_cast<int>(in.size());
  const std::size_t bytes = in.size() * sizeof(std::uint32_t);
  std::uint32_t *device_in = nullptr, *device_out = nullptr;
  CHECK_CUDA(cudaMalloc(&device_in, bytes));
  CHECK_CUDA(cudaMalloc(&device_out, bytes));
  CHECK_CUDA(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));
  // A block is a multiple of 64 threads, so that the second warp of each pair exists.
  kernel<<<lockstep::divide_up(n, kThreads), kThreads>>>(device_in, device_out, n, kSteps);
  CHECK_CUDA(cudaGetLastError());
  std::vector<std::uint32_t> out(in.size());
  CHECK_CUDA(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(device_in));
  CHECK_CUDA(cudaFree(device_out));
  const int wrong = first_wrong(in, out);
  if (wrong < n) std::printf("divergence: %s: element %d of %d is wrong\n", name, wrong, n);
  return wrong == n;
}

int main() try {
  for (const int n : {1, 2, 33, 63, 64, 65, 100003}) {
    std::vector<std::uint32_t> in(n);
    lockstep::SplitMix64 random(n);
    for (std::uint32_t& value : in) value = random.word();
    if (!try_kernel("by lane", by_lane_kernel, in) || !try_kernel("by warp", by_warp_kernel, in)) return 1;
  }
  std::printf("divergence: 7 sizes up to 100003, both kernels right\n");
  return 0;
} catch (const std::exception& error) {
  std::printf("divergence: %s\n", error.what());
  return 1;
}
