// A matrix that is not square is indexed with row and column the wrong way round.
// expect: out-of-bounds
// says: past the end of an allocation (1024 bytes)
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* matrix, int rows, int columns) {
  const int row = static_cast<int>(threadIdx.y), column = static_cast<int>(threadIdx.x);
  if (row < rows && column < columns) {
    matrix[kFixed ? row * columns + column : column * columns + row] = row;  // <- here
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> matrix(8 * 32);
  fill_kernel<kFixed><<<1, dim3(32, 8)>>>(matrix, 8, 32);
}
