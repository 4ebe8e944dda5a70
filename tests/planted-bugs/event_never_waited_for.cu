// One stream produces what another consumes, and nothing says that the one has to wait for the other.
// expect: uninitialised-read
// says: which nothing has written
#include "planted_bug.h"

__global__ void produce_kernel(int* values) { values[threadIdx.x] = static_cast<int>(threadIdx.x); }

__global__ void consume_kernel(const int* values, int* sums) {
  sums[threadIdx.x] += values[threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  int* values = nullptr;
  cudaMalloc(&values, 64 * sizeof(int));
  DeviceArray<int> sums(64);
  cudaStream_t first, second;
  cudaEvent_t produced;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&produced);
  produce_kernel<<<1, 64, 0, first>>>(values);
  cudaEventRecord(produced, first);
  if constexpr (kFixed) cudaStreamWaitEvent(second, produced);
  consume_kernel<<<1, 64, 0, second>>>(values, sums);
  cudaDeviceSynchronize();
  cudaEventDestroy(produced);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(values);
}
