// Mistakes with memory that kernels take; the argument chooses one.
#include <cstdio>
#include <cstdlib>

__global__ void mistake_kernel(int which, int* outside) {
  int* block = static_cast<int*>(malloc(40));
  int* other = static_cast<int*>(malloc(128));
  block[0] = other[0] = 1;
  if (which == 0) block[10] = 1;
  if (which == 1) other[32] = 1;
  free(block);
  if (which == 2) outside[0] = block[0];
  if (which == 3) free(block);
  if (which == 4) free(other + 1);
  if (which == 5) free(outside);
  if (which == 6) outside[0] = other[1];
  free(other);
}

int main(int count, char** words) {
  int* outside;
  cudaMalloc(&outside, sizeof(int));
  mistake_kernel<<<1, 1>>>(count == 2 ? std::atoi(words[1]) : 0, outside);
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
