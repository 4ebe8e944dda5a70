// Three kernels of one warp a block, each with one thing for a profile to find; their counts are known by
// hand.
#include <cstdio>
#include <cstdlib>

#include "profiled.cuh"

__global__ void gather_kernel(const int* in, int* out) {
  out[threadIdx.x] = in[64 * threadIdx.x];  // lanes 256 bytes apart
}

__global__ void diverge_kernel(int* out) {
  if (threadIdx.x % 2 == 1) {  // odd lanes alone
    out[threadIdx.x] = collatz_steps(27);
  }
}

__global__ void count_kernel(int* total, const int* in) {
  atomicAdd(total, in[threadIdx.x]);  // all lanes at one address
}

// The first argument is the exit status, 0 without one.
int main(int count, char** words) {
  constexpr int kWords = 64 * 32;
  int *in, *out;
  cudaMalloc(&in, kWords * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, kWords * sizeof(int));
  cudaMemset(out, 0, 32 * sizeof(int));
  gather_kernel<<<1, 32>>>(in, out);
  diverge_kernel<<<1, 32>>>(out);
  count_kernel<<<3, 32>>>(out, in);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(in);
  cudaFree(out);
  return count > 1 ? std::atoi(words[1]) : 0;
}
