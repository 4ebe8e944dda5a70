// expect: compile-error
// tries: Gives the compiler work without end: a template that asks for itself with twice as many arguments.
// stopped by: Compiling has limits of time, memory, processes and size of files.
// says: The compiler was stopped
#include "transpose.h"

// Meets the limit of memory long before that of time, which would keep the tests waiting.
template <class... Types>
struct Doubling : Doubling<Types..., Types...> {};

Doubling<int> endless;

void transpose(const float*, float*, int, int, cudaStream_t) {}
