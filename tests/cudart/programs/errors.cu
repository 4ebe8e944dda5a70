// Walks through the runtime's error rules; the exit status is the number of the first step that went another
// way.
#include <cstdio>
#include <cstring>

__global__ void write_kernel(int* out, long index) { out[index] = 1; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

int main() {
  int* out = nullptr;
  int host[4] = {};
  STEP(1, cudaMalloc(&out, sizeof(host)) == cudaSuccess);

  // An invalid configuration is refused by the launch and remembered once.
  write_kernel<<<1, 2048>>>(out, 0);
  STEP(2, cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  STEP(3, cudaGetLastError() == cudaErrorInvalidConfiguration);
  STEP(4, cudaGetLastError() == cudaSuccess);
  STEP(5, cudaDeviceSynchronize() == cudaSuccess);

  // Copies are checked against their kind and their allocation.
  STEP(6, cudaMemcpy(out, host, sizeof(host), cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  STEP(7, cudaMemcpy(out, host, 5 * sizeof(int), cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  STEP(8, cudaMemcpy(out, host, 4, static_cast<cudaMemcpyKind>(77)) == cudaErrorInvalidMemcpyDirection);
  STEP(9, cudaFree(out + 1) == cudaErrorInvalidValue);
  STEP(10, cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
  STEP(11, cudaSetDevice(1) == cudaErrorInvalidDevice);
  STEP(12, std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  STEP(13, std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                       "an illegal memory access was encountered") == 0);
  cudaGetLastError();

  // A fault inside a kernel shows after the launch, at every call, and cannot be cleared.
  write_kernel<<<1, 1>>>(out, 1L << 40);
  STEP(14, cudaGetLastError() == cudaSuccess);
  STEP(15, cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  STEP(16, cudaGetLastError() == cudaErrorIllegalAddress);
  STEP(17, cudaGetLastError() == cudaErrorIllegalAddress);
  STEP(18, cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress);
  STEP(19, cudaMalloc(&out, 4) == cudaErrorIllegalAddress);
  std::puts("errors as in CUDA");
  return 0;
}
