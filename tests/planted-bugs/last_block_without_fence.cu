// The block that comes last adds up what the others wrote; they did not make it visible first.
// expect: race
// says: with no fence
#include "planted_bug.h"

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* partial, unsigned* arrived, int* sum) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = values[blockIdx.x] + 1;  // <- earlier
    if constexpr (kFixed) __threadfence();
    last = atomicAdd(arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    if constexpr (kFixed) __threadfence();
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];  // <- here
    *sum = total;
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(8), partial(8), sum(1);
  DeviceArray<unsigned> arrived(1);
  sum_kernel<kFixed><<<8, 32>>>(values, partial, arrived, sum);
}
