// expect: crashed
// says: an exception left your function
// Throws what is no std::exception.
#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) { throw 42; }
