// expect: time-limit
// tries: Prints without end.
// stopped by: What exceeds 64 KiB is read and dropped, and the judge's clock ends the call.
#include <cstdio>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  while (true) std::puts("passed: 10.0 of 10 points");
}
