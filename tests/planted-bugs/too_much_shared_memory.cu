// 64 KiB of dynamic shared memory need cudaFuncSetAttribute first.
// expect: bad-launch
// says: cudaFuncAttributeMaxDynamicSharedMemorySize
// asks: call cudaFuncSetAttribute before the launch
#include "planted_bug.h"

template <bool kFixed>
__global__ void reverse_kernel(int* values) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[127 - threadIdx.x];
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(128);
  const int bytes = 64 * 1024;
  if constexpr (kFixed) {
    cudaFuncSetAttribute(reverse_kernel<kFixed>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  }
  reverse_kernel<kFixed><<<1, 128, bytes>>>(values);
}
