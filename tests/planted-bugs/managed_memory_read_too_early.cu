// The host reads managed memory while the kernel that writes it may still run: it sees what was there before.
// expect: none
// status: 3
#include "planted_bug.h"

__global__ void fill_kernel(int* values) { values[threadIdx.x] = 1; }

template <bool kFixed>
void run() {
  int* values = nullptr;
  cudaMallocManaged(&values, 64 * sizeof(int));
  values[0] = 0;
  fill_kernel<<<1, 64>>>(values);
  if constexpr (kFixed) cudaDeviceSynchronize();
  if (values[0] != 1) std::exit(3);
  cudaFree(values);
}
