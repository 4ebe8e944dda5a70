// Prints for which architecture the code was compiled that ran, and what the device says of itself.
#include <cstdio>

__global__ void tell(int* architecture) {
#ifdef __CUDA_ARCH__
  *architecture = __CUDA_ARCH__;
#endif
}

int main() {
  int* architecture = nullptr;
  int told = 0;
  cudaMalloc(&architecture, sizeof told);
  tell<<<1, 1>>>(architecture);
  const bool ran = cudaMemcpy(&told, architecture, sizeof told, cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(architecture);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  std::printf("compute_%d on %d.%d, %d wrong\n", told / 10, device.major, device.minor, ran ? 0 : 1);
  return ran ? 0 : 1;
}
