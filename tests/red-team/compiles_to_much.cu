// expect: compile-error
// tries: Has the compiler write a gibibyte.
// stopped by: Compiling has limits of time, memory, processes and size of files.
#include "transpose.h"

char large[1 << 30] = {1};

void transpose(const float*, float*, int, int, cudaStream_t) { large[0] = 2; }
