// expect: crashed
// says: the program exited by itself, with status 0
// Ends its process before anything is computed, as if all were well.
#include <cstdlib>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) { std::exit(0); }
