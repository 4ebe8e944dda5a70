// expect: crashed
// tries: Ends its process with status 0 before anything is computed, as if all were well.
// stopped by: Only "call k is done" counts; a process that ends without it has crashed.
// says: the program exited by itself, with status 0
#include <cstdlib>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) { std::exit(0); }
