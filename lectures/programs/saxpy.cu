// y = a x + y with one thread per element and a guard, and with a grid of any size and a grid-stride loop.
// Lecture 02, First kernels.
#include <cstdio>
#include <exception>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

// [guarded]
__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
// [guarded]

// [grid-stride]
__global__ void saxpy_stride_kernel(float a, const float* x, float* y, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}
// [grid-stride]

constexpr int kThreads = 256;

bool is_right(float a, const std::vector<float>& x, const std::vector<float>& y, bool stride) {
  const int n = static_cast<int>(x.size());
  const std::size_t bytes = x.size() * sizeof(float);
  float *device_x = nullptr, *device_y = nullptr;
  CHECK_CUDA(cudaMalloc(&device_x, bytes));
  CHECK_CUDA(cudaMalloc(&device_y, bytes));
  CHECK_CUDA(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));
  if (stride) {
    // [stride-launch]
    saxpy_stride_kernel<<<20, kThreads>>>(a, device_x, device_y, n);
    // [stride-launch]
  } else {
    saxpy_kernel<<<lockstep::divide_up(n, kThreads), kThreads>>>(a, device_x, device_y, n);
  }
  CHECK_CUDA(cudaGetLastError());
  std::vector<float> found(y.size());
  CHECK_CUDA(cudaMemcpy(found.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(device_x));
  CHECK_CUDA(cudaFree(device_y));
  for (int i = 0; i < n; ++i) {
    const float expected = a * x[i] + y[i];
    if (found[i] == expected) continue;
    std::printf("saxpy: element %d of %d is %g, expected %g (%s)\n", i, n, found[i], expected,
                stride ? "grid-stride loop" : "guard");
    return false;
  }
  return true;
}

int main() try {
  lockstep::SplitMix64 random(2);
  int n = 0;
  for (const int size : {1, 257, 5120, 1'000'003}) {
    n = size;
    // Whole numbers, so that nothing is rounded whether or not a compiler fuses product and sum.
    std::vector<float> x(n), y(n);
    for (float& value : x) value = static_cast<float>(random.integer(-1000, 1000));
    for (float& value : y) value = static_cast<float>(random.integer(-1000, 1000));
    if (!is_right(3.0F, x, y, false) || !is_right(3.0F, x, y, true)) return 1;
  }
  std::printf("saxpy: %d elements, all right\n", n);
  return 0;
} catch (const std::exception& error) {
  std::printf("saxpy: %s\n", error.what());
  return 1;
}
