// The grid is rounded down, so that the last elements are never computed; the next kernel reads them.
// expect: uninitialised-read
// says: read of byte 3584 of global memory, which nothing has written
#include "planted_bug.h"

__global__ void square_kernel(float* squares, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) squares[i] = static_cast<float>(i) * static_cast<float>(i);
}

template <bool kFixed>
__global__ void reverse_kernel(const float* from, float* to, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[n - 1 - i] = from[i];  // <- here
}

template <bool kFixed>
void run() {
  const int n = 1000, threads = 128;
  float* squares = nullptr;
  cudaMalloc(&squares, n * sizeof(float));
  DeviceArray<float> reversed(n);
  square_kernel<<<kFixed ? (n + threads - 1) / threads : n / threads, threads>>>(squares, n);
  reverse_kernel<kFixed><<<(n + threads - 1) / threads, threads>>>(squares, reversed, n);
  cudaFree(squares);
}
