// expect: compile-error
// tries: Gives the compiler work without end: a type with 2^40 arguments.
// stopped by: Compiling has limits of time, memory, processes and size of files.
// says: The compiler was stopped
#include <utility>

#include "transpose.h"

// Meets the limit of memory, in seconds, long before that of time, which would keep the tests waiting.
constexpr std::make_index_sequence<(std::size_t{1} << 40)> kEndless;

void transpose(const float*, float*, int, int, cudaStream_t) {}
