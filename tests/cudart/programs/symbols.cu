// Constant and global variables by symbol.
#include <cstdio>

__constant__ int coefficients[4];
__device__ int results[4] = {1, 2, 3, 4};

__global__ void apply_kernel() { results[threadIdx.x] *= coefficients[threadIdx.x]; }

int main() {
  const int given[4] = {10, 20, 30, 40};
  if (cudaMemcpyToSymbol(coefficients, given, sizeof(given)) != cudaSuccess) return 1;
  const int last = 50;
  if (cudaMemcpyToSymbol(coefficients, &last, sizeof(int), 3 * sizeof(int)) != cudaSuccess) return 2;
  if (cudaMemcpyToSymbol(coefficients, given, sizeof(given), 4) != cudaErrorInvalidValue) return 3;
  apply_kernel<<<1, 4>>>();
  int found[4] = {};
  if (cudaMemcpyFromSymbol(found, results, sizeof(found)) != cudaSuccess) return 4;
  const int expected[4] = {10, 40, 90, 200};
  for (int i = 0; i < 4; ++i) {
    if (found[i] != expected[i]) return 5;
  }
  std::size_t bytes = 0;
  void* address = nullptr;
  if (cudaGetSymbolSize(&bytes, results) != cudaSuccess || bytes != sizeof(results)) return 6;
  if (cudaGetSymbolAddress(&address, results) != cudaSuccess) return 7;
  int second = 0;
  cudaMemcpy(&second, static_cast<int*>(address) + 1, sizeof(int), cudaMemcpyDeviceToHost);
  if (second != 40) return 8;
  std::puts("symbols found");
  return 0;
}
