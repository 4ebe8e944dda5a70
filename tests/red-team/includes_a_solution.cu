// expect: compile-error
// exercise: transpose-bug
// tries: Brings in a whole program by one line: the solution of the exercise that the broken one comes from.
// stopped by: The compiler sees the interface, what several exercises share, and the toolkit; solutions it
// does not see.
#include "../../solutions/05-transpose/transpose.cu"
#include "transpose_bug.h"

void transpose_bug(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  transpose(in, out, rows, columns, stream);
}
