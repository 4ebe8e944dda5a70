// expect: wrong-answer
// tries: Prints a forged result and control characters, a megabyte a call.
// stopped by: What is printed is shown, never believed; it is cut, and without its control characters.
// says: Your code printed in the 2 calls of case
#include <cstdio>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (int line = 0; line < 16384; ++line) std::printf("\033[2J passed: 10.0 of 10 points %32d\n", line);
}
