// expect: compile-error
// says: does not define transpose
// A function of another name.
#include "transpose.h"

void transpose_matrix(const float*, float*, int, int, cudaStream_t) {}
