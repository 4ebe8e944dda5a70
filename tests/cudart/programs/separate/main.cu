// Calls functions, and uses variables, that other files define.
#include <cstdio>

#include "separate.h"

static __device__ int own = 10;

__global__ void use_kernel(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  const int sum = block_sum(t);
  out[t] = scaled(t, t % 4) + operations[t % 2](t, 3) + fibonacci(t % 8) + own + managed + sum;
  atomicAdd(&counter, 1);
}

int expected(int t) {
  const int fibonacci_numbers[] = {0, 1, 1, 2, 3, 5, 8, 13}, factor[] = {2, 3, 5, 7};
  return t * factor[t % 4] + (t % 2 == 0 ? t + 3 : t * 3) + fibonacci_numbers[t % 8] + 10 + 1000 +
         31 * 32 / 2;
}

int main() {
  int *out = nullptr, wrong = 0, host[32];
  cudaMalloc(&out, sizeof host);
  managed = 1000;
  use_kernel<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) wrong += host[t] != expected(t);
  int count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  std::printf("%s, %d wrong, counter %d", cudaGetErrorString(cudaGetLastError()), wrong, count);
  cudaMemcpyFromSymbol(&count, own, sizeof count);
  std::printf(", own %d", count);
  std::printf(", elsewhere %d\n", launch_elsewhere(out));
  cudaFree(out);
}
