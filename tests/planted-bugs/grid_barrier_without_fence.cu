// A barrier of the whole grid, made by hand, counts blocks but does not order their memory.
// expect: race
// says: with no fence
#include "planted_bug.h"

template <bool kFixed>
__global__ void exchange_kernel(int* values, int* result, unsigned* arrived) {
  values[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;  // <- earlier
  if constexpr (kFixed) __threadfence();
  atomicAdd(arrived, 1);
  while (atomicAdd(arrived, 0) < gridDim.x) {
  }
  if constexpr (kFixed) __threadfence();
  result[blockIdx.x] = values[(blockIdx.x + 1) % gridDim.x];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(4), result(4);
  DeviceArray<unsigned> arrived(1);
  exchange_kernel<kFixed><<<4, 1>>>(values, result, arrived);
}
