// A kernel waits for a word that the host sets only when the kernel has ended.
// expect: no-progress
// says: sees nothing of what the host writes before the kernel has ended
#include "planted_bug.h"

__global__ void wait_kernel(const volatile int* ready, int* result) {
  while (*ready == 0) {  // <- here
  }
  *result = 1;
}

template <bool kFixed>
void run() {
  int *ready = nullptr, *result = nullptr;
  cudaMallocManaged(&ready, sizeof *ready);
  cudaMallocManaged(&result, sizeof *result);
  *ready = kFixed ? 1 : 0;
  wait_kernel<<<1, 1>>>(ready, result);
  cudaDeviceSynchronize();
  *ready = 1;
  cudaFree(ready);
  cudaFree(result);
}
