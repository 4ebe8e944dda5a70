// The warps of a block pass numbers on through global memory, as through shared memory, and do not wait.
// expect: race
// also: race
// says: which warp 0 wrote at workspace_without_barrier.cu:9 with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void reverse_kernel(int* workspace, int* out) {
  workspace[threadIdx.x] = threadIdx.x + 1;  // <- earlier
  if constexpr (kFixed) __syncthreads();
  out[threadIdx.x] = workspace[blockDim.x - 1 - threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> workspace(64), out(64);
  reverse_kernel<kFixed><<<1, 64>>>(workspace, out);
}
