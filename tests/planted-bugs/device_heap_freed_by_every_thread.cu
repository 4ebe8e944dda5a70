// One thread takes memory for the block, and every thread gives it back.
// expect: out-of-bounds
// status: 1
// says: that was freed before
#include "planted_bug.h"

template <bool kFixed>
__global__ void scratch_kernel(int* values) {
  __shared__ int* scratch;
  if (threadIdx.x == 0) scratch = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  scratch[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (!kFixed || threadIdx.x == 0) free(scratch);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  scratch_kernel<kFixed><<<1, 64>>>(values);
}
