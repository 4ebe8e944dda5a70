// Ends without waiting for a kernel that prints and leaves its memory.
#include <cstdio>

__global__ void leave_kernel(int* to) {
  printf("never seen\n");
  to[1 << 20] = 1;
}

int main() {
  int* device;
  cudaStream_t stream;
  cudaMalloc(&device, sizeof(int));
  cudaStreamCreate(&stream);
  leave_kernel<<<1, 1, 0, stream>>>(device);
  std::puts("launched");
  return 0;
}
