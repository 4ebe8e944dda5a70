// A kernel writes to constant memory through an address that the host has looked up.
// expect: out-of-bounds
// says: write of 4 bytes to constant memory
// asks: is this the memory that you mean?
#include "planted_bug.h"

__constant__ int limits[4];

template <bool kFixed>
__global__ void limits_kernel(int* writable, int* result, int value) {
  if constexpr (!kFixed) writable[threadIdx.x] = value;  // <- here
  result[threadIdx.x] = limits[threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<int> result(4);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, limits);
  limits_kernel<kFixed><<<1, 4>>>(static_cast<int*>(address), result, 7);
}
