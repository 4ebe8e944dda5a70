// A program with a handler for SIGSEGV of its own gets every fault but those of managed memory.
#include <csetjmp>
#include <csignal>
#include <cstdio>

sigjmp_buf before;
volatile int caught = 0;

void handle(int) {
  ++caught;
  siglongjmp(before, 1);
}

__global__ void write_kernel(int* out) { *out = 42; }

int main() {
  std::signal(SIGSEGV, handle);
  int *managed, *device;
  if (cudaMallocManaged(&managed, 4) != cudaSuccess || cudaMalloc(&device, 4) != cudaSuccess) return 1;
  write_kernel<<<1, 1>>>(managed);
  cudaDeviceSynchronize();
  if (*managed != 42 || caught != 0) return 2;  // a page that is away
  if (sigsetjmp(before, 1) == 0) {
    *static_cast<volatile int*>(device) = 1;
    return 3;
  }
  if (sigsetjmp(before, 1) == 0) {
    *reinterpret_cast<volatile int*>(16) = 1;
    return 4;
  }
  if (cudaFree(managed) != cudaSuccess) return 5;
  if (sigsetjmp(before, 1) == 0) {
    std::printf("%d\n", *static_cast<volatile int*>(managed));
    return 6;
  }
  std::printf("caught %d\n", caught);
  return 0;
}
