// The host reads what an asynchronous copy brings, and has not waited for it: it sees what was there before.
// expect: none
// status: 3
#include "planted_bug.h"

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  int* copy = nullptr;
  cudaMallocHost(&copy, values.bytes());
  copy[0] = -1;
  cudaMemcpyAsync(copy, values, values.bytes(), cudaMemcpyDeviceToHost);
  if constexpr (kFixed) cudaDeviceSynchronize();
  if (copy[0] != 0) std::exit(3);
  cudaFreeHost(copy);
}
