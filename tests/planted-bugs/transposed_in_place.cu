// A matrix is transposed in place: blocks read tiles that other blocks have overwritten.
// expect: race
// also: race
// says: in the same launch
#include "planted_bug.h"

template <bool kFixed>
__global__ void transpose_kernel(const int* from, int* to, int n) {
  const int row = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * 8 + threadIdx.x);
  const int value = from[row * n + column];  // <- earlier
  to[column * n + row] = value;              // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> matrix(16 * 16), result(16 * 16);
  std::vector<int> numbers(256);
  for (int i = 0; i < 256; ++i) numbers[i] = i;
  cudaMemcpy(matrix, numbers.data(), matrix.bytes(), cudaMemcpyHostToDevice);
  transpose_kernel<kFixed><<<dim3(2, 2), dim3(8, 8)>>>(matrix, kFixed ? result : matrix, 16);
}
