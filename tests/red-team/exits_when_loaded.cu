// expect: crashed
// tries: Ends its process from a constructor, before anybody could call its function.
// stopped by: Loading is a request like any other: without its answer the program has crashed.
// says: your function was never called
// says: the program exited by itself, with status 0
// says: constructors of global objects
#include <cstdlib>

#include "transpose.h"

struct Quitter {
  Quitter() { std::_Exit(0); }
} quitter;

void transpose(const float*, float*, int, int, cudaStream_t) {}
