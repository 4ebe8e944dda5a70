// expect: crashed
// says: your function was never called
// says: the program exited by itself, with status 0
// says: constructors of global objects
// Ends its process from a constructor, before the function can be called.
#include <cstdlib>

#include "transpose.h"

struct Quitter {
  Quitter() { std::_Exit(0); }
} quitter;

void transpose(const float*, float*, int, int, cudaStream_t) {}
