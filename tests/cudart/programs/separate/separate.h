// Device code of three files that `-rdc=true` brings together.
#pragma once

extern __device__ int counter;
extern __constant__ int factors[4];
extern __managed__ int managed;

__device__ int scaled(int value, int which);
__device__ int fibonacci(int n);

using Operation = int (*)(int, int);
extern __device__ Operation operations[2];

/// Each file that calls it has its own copy, of which one is taken.
inline __device__ __noinline__ int block_sum(int value) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, value);
  __syncthreads();
  return sum;
}

int launch_elsewhere(int* out);
