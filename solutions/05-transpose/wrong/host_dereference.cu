// expect: crashed
// Host code reads and writes device memory through its pointers, as if it were its own.
#include "transpose.h"

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) out[column * rows + row] = in[row * columns + column];
  }
}
