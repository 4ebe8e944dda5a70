// Kernels that read host memory which they may not: 0 pageable memory, 1 pinned memory whose address they
// find in device memory, 2 the end of mapped memory, 3 registered memory by its address on the host.
#include <cstdio>
#include <cstdlib>

__global__ void read_kernel(const int* const* where, const int* from, int* out) {
  *out = from == nullptr ? **where : *from;
}

int main(int count, char** words) {
  const int which = count == 2 ? std::atoi(words[1]) : 0;
  int pageable = 1;
  int *pinned, *out;
  int** where;
  cudaMallocHost(&pinned, 4 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMalloc(&where, sizeof(int*));
  cudaMemcpy(where, &pinned, sizeof(int*), cudaMemcpyHostToDevice);
  if (which == 3) cudaHostRegister(&pageable, sizeof(int), cudaHostRegisterDefault);
  read_kernel<<<1, 1>>>(where, which == 0 || which == 3 ? &pageable : which == 1 ? nullptr : pinned + 4, out);
  if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) return 1;
  std::puts("refused");
  return 0;
}
