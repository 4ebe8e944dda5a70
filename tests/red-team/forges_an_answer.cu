// expect: crashed
// tries: Answers the judge itself, on the descriptor that it inherited.
// stopped by: A packet that nobody asked for, or that does not parse, ends the runner.
// says: a descriptor that is not its own
#include <unistd.h>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  const char answer[64] = {};
  for (int descriptor = 3; descriptor < 16; ++descriptor) {
    if (write(descriptor, answer, sizeof answer) < 0) continue;
  }
}
