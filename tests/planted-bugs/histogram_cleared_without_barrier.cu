// Warps count into bins that another warp has yet to clear.
// expect: race
// says: atomic operation of byte
#include "planted_bug.h"

template <bool kFixed>
__global__ void histogram_kernel(const unsigned char* bytes, int* counts) {
  __shared__ int bins[128];
  bins[threadIdx.x] = 0;  // <- earlier
  if constexpr (kFixed) __syncthreads();
  atomicAdd(&bins[bytes[threadIdx.x] % 128], 1);  // <- here
  __syncthreads();
  counts[threadIdx.x] = bins[threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<unsigned char> bytes(128);
  DeviceArray<int> counts(128);
  histogram_kernel<kFixed><<<1, 128>>>(bytes, counts);
}
