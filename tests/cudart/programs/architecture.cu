// Prints for which architecture the code was compiled that ran, and what the device says of itself.
#include <cstdio>

__global__ void describe_kernel(int* architecture) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *architecture = -__CUDA_ARCH__;  // for one GPU alone
#elif defined(__CUDA_ARCH__)
  *architecture = __CUDA_ARCH__;
#endif
}

int main() {
  int* found = nullptr;
  int architecture = 0;
  cudaMalloc(&found, sizeof architecture);
  describe_kernel<<<1, 1>>>(found);
  int wrong = cudaMemcpy(&architecture, found, sizeof architecture, cudaMemcpyDeviceToHost) != cudaSuccess;
  cudaFree(found);

  cudaDeviceProp device;
  cudaFuncAttributes kernel;
  cudaGetDeviceProperties(&device, 0);
  cudaFuncGetAttributes(&kernel, describe_kernel);
  wrong += kernel.ptxVersion * 10 != architecture;
  wrong += kernel.binaryVersion != device.major * 10 + device.minor;
  std::printf("compute_%d on %d.%d, %d wrong\n", architecture / 10, device.major, device.minor, wrong);
  return wrong != 0;
}
