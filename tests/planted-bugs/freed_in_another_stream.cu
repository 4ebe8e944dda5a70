// Memory goes back in a stream that does not wait for the kernel which uses it.
// expect: out-of-bounds
// status: 1
// says: after it was freed
#include "planted_bug.h"

__global__ void fill_kernel(int* values) {
  values[threadIdx.x] = 1;  // <- here
}

template <bool kFixed>
void run() {
  cudaStream_t works, frees;
  cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&frees, cudaStreamNonBlocking);
  int* values = nullptr;
  cudaMallocAsync(&values, 64 * sizeof(int), works);
  fill_kernel<<<1, 64, 0, works>>>(values);
  cudaFreeAsync(values, kFixed ? works : frees);
  cudaDeviceSynchronize();
  cudaStreamDestroy(works);
  cudaStreamDestroy(frees);
}
