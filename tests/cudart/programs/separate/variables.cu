// Variables, constants and managed memory that the other files use and this one alone defines.
#include "separate.h"

__device__ int counter = 0;
__constant__ int factors[4] = {2, 3, 5, 7};
__managed__ int managed = 1;

static __device__ int own = 20;

static __device__ int plus(int a, int b) { return a + b; }
static __device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[2] = {plus, times};

static __global__ void elsewhere_kernel(int* out) { out[threadIdx.x] = own + counter + block_sum(1); }

int launch_elsewhere(int* out) {
  elsewhere_kernel<<<1, 16>>>(out);
  int first = 0;
  cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
  return first;  // 20 + 32 + 16
}
