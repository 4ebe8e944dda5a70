// A whole program with one kernel: squares of a vector's elements, from the allocation to the free.
// Lecture 02, First kernels.
#include <cstdio>
#include <exception>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

// [square-kernel]
__host__ __device__ float square(float x) { return x * x; }

__global__ void square_kernel(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = square(in[i]);
}
// [square-kernel]

// [host-program]
std::vector<float> squares_of(const std::vector<float>& in) {
  const int n = static_cast<int>(in.size()), threads = 256;
  const std::size_t bytes = in.size() * sizeof(float);
  float *device_in = nullptr, *device_out = nullptr;
  CHECK_CUDA(cudaMalloc(&device_in, bytes));
  CHECK_CUDA(cudaMalloc(&device_out, bytes));
  CHECK_CUDA(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));

  square_kernel<<<lockstep::divide_up(n, threads), threads>>>(device_in, device_out, n);
  CHECK_CUDA(cudaGetLastError());

  std::vector<float> out(in.size());
  CHECK_CUDA(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(device_in));
  CHECK_CUDA(cudaFree(device_out));
  return out;
}
// [host-program]

int main() try {
  lockstep::SplitMix64 random(1);
  int n = 0;
  for (const int size : {1, 255, 256, 257, 1'000'003}) {
    n = size;
    const std::vector<float> in = random.floats(n);
    const std::vector<float> out = squares_of(in);
    for (int i = 0; i < n; ++i) {
      if (out[i] == square(in[i])) continue;
      std::printf("first_kernel: element %d of %d is %g, expected %g\n", i, n, out[i], square(in[i]));
      return 1;
    }
  }
  std::printf("first_kernel: %d elements, all right\n", n);
  return 0;
} catch (const std::exception& error) {
  std::printf("first_kernel: %s\n", error.what());
  return 1;
}
