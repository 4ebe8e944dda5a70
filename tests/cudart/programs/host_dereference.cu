// Reads device memory on the host, which must fault.
#include <cstdio>

int main() {
  int* device = nullptr;
  if (cudaMalloc(&device, sizeof(int)) != cudaSuccess) return 1;
  std::printf("%d\n", *static_cast<volatile int*>(device));
  return 0;
}
