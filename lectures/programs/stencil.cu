// A stencil of three points: each element becomes a weighted mean of itself and its two neighbours, and at
// the edges the element itself stands for the neighbour that is missing. Lecture 02, First kernels.
#include <cstdio>
#include <exception>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

// [stencil]
__global__ void smooth_kernel(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = in[max(i - 1, 0)], right = in[min(i + 1, n - 1)];
  out[i] = 0.25F * left + 0.5F * in[i] + 0.25F * right;
}
// [stencil]

constexpr int kThreads = 256;

bool is_right(const std::vector<float>& in) {
  const int n = static_cast<int>(in.size());
  const std::size_t bytes = in.size() * sizeof(float);
  float *device_in = nullptr, *device_out = nullptr;
  CHECK_CUDA(cudaMalloc(&device_in, bytes));
  CHECK_CUDA(cudaMalloc(&device_out, bytes));
  CHECK_CUDA(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));
  smooth_kernel<<<lockstep::divide_up(n, kThreads), kThreads>>>(device_in, device_out, n);
  CHECK_CUDA(cudaGetLastError());
  std::vector<float> out(in.size());
  CHECK_CUDA(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(device_in));
  CHECK_CUDA(cudaFree(device_out));
  for (int i = 0; i < n; ++i) {
    const float left = i > 0 ? in[i - 1] : in[i], right = i + 1 < n ? in[i + 1] : in[i];
    const float expected = (left + 2.0F * in[i] + right) / 4.0F;
    if (out[i] == expected) continue;
    std::printf("stencil: element %d of %d is %g, expected %g\n", i, n, out[i], expected);
    return false;
  }
  return true;
}

int main() try {
  lockstep::SplitMix64 random(4);
  int n = 0;
  for (const int size : {1, 2, 3, 256, 257, 1'000'003}) {
    n = size;
    std::vector<float> in(n);  // whole numbers, so that every sum is exact in any order
    for (float& value : in) value = static_cast<float>(random.integer(-1000, 1000));
    if (!is_right(in)) return 1;
  }
  std::printf("stencil: %d elements, all right\n", n);
  return 0;
} catch (const std::exception& error) {
  std::printf("stencil: %s\n", error.what());
  return 1;
}
