// expect: crashed
// says: a pointer to device memory cannot be dereferenced on the host
// Reads and writes device memory from host code.
#include "transpose.h"

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) out[column * rows + row] = in[row * columns + column];
  }
}
