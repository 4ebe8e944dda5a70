// expect: crashed
// tries: Forks again and again. Bounded here, to be harmless where nobody stops it: 300 children, 20 s each.
// stopped by: The sandbox counts processes and ends the whole tree at its limit.
// says: more processes than it may
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
