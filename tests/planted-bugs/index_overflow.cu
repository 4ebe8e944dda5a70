// A large index is computed in 32 bits, overflows and becomes negative.
// expect: out-of-bounds
// says: read of 4 bytes that begin 17179869184 bytes before the start of an allocation
// asks: so far off lies
#include "planted_bug.h"

template <bool kFixed>
__global__ void last_row_kernel(const float* matrix, float* row, int rows, int columns) {
  const int c = static_cast<int>(threadIdx.x);
  // Only the last few elements are stored, so that the array stays small: the matrix begins before it.
  constexpr long long kBefore = 65'535LL * 65'536;
  const long long i = kFixed ? static_cast<long long>(rows - 1) * columns + c : (rows - 1) * columns + c;
  row[c] = matrix[i - kBefore];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> matrix(64), row(64);
  last_row_kernel<kFixed><<<1, 64>>>(matrix, row, 65'536, 65'536);
}
