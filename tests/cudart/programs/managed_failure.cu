// A kernel that fails: the program may still look at managed memory, and gets the kernel's error.
#include <cstdio>

__global__ void write_kernel(int* out, long index) { out[index] = 1; }

int main() {
  int* out = nullptr;
  if (cudaMallocManaged(&out, 4) != cudaSuccess) return 1;
  out[0] = 1;
  write_kernel<<<1, 1>>>(out, 1);
  const cudaError_t error = cudaDeviceSynchronize();
  volatile int seen = out[0];
  out[0] = seen + 1;
  std::puts(cudaGetErrorString(error));
  return 0;
}
