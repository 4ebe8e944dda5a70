// expect: crashed
// says: more processes than it may
// Forks again and again. Bounded here, so that it is harmless where it is not stopped: 300 children, each for
// at most 20 s.
#include <unistd.h>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (int child = 0; child < 300; ++child) {
    if (fork() != 0) continue;
    alarm(20);
    while (true) pause();
  }
  while (true) pause();
}
