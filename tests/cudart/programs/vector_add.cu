// Adds two vectors; exit status 0 when every element is right.
#include <cstdio>
#include <vector>

__global__ void add_kernel(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  constexpr int n = 300'007;  // several pieces of a copy, and no multiple of a block
  std::vector<float> a(n), b(n), sum(n);
  for (int i = 0; i < n; ++i) {
    a[i] = 0.5F * i;
    b[i] = 3.0F - i;
  }
  float *device_a, *device_b, *device_sum;
  cudaMalloc(&device_a, n * sizeof(float));
  cudaMalloc(&device_b, n * sizeof(float));
  cudaMalloc(&device_sum, n * sizeof(float));
  cudaMemcpy(device_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), n * sizeof(float), cudaMemcpyDefault);
  add_kernel<<<(n + 255) / 256, 256>>>(device_a, device_b, device_sum, n);
  const cudaError_t error = cudaMemcpy(sum.data(), device_sum, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%s\n", cudaGetErrorString(error));
  for (int i = 0; i < n; ++i) {
    if (!(sum[i] == a[i] + b[i])) {
      std::printf("element %d is %f\n", i, sum[i]);
      return 1;
    }
  }
  return cudaFree(device_a) == cudaSuccess && cudaFree(device_b) == cudaSuccess ? 0 : 2;
}
