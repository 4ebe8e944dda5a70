// expect: wrong-answer
// says: Your code printed:
// Prints a megabyte in each call, control characters among it, and computes nothing.
#include <cstdio>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (int line = 0; line < 16384; ++line) std::printf("\033[2J passed: 10.0 of 10 points %32d\n", line);
}
