// A table is put into shared memory by block 0 alone; every block has a memory of its own.
// expect: uninitialised-read
// says: of the block's shared memory, which no thread of the block has written
#include "planted_bug.h"

template <bool kFixed>
__global__ void look_up_kernel(const int* table, int* values) {
  __shared__ int own[32];
  if (kFixed || blockIdx.x == 0) own[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  values[blockIdx.x * 32 + threadIdx.x] = own[31 - threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> table(32), values(128);
  look_up_kernel<kFixed><<<4, 32>>>(table, values);
}
