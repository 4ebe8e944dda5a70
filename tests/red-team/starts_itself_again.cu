// expect: crashed
// tries: Starts the runner once more, with a library of its own loaded before all others.
// stopped by: A new process knows nothing of the request that waits for its answer.
#include <unistd.h>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  const char* const arguments[] = {"/proc/self/exe", nullptr};
  const char* const environment[] = {"LD_PRELOAD=/lockstep/submission.so", nullptr};
  execve(arguments[0], const_cast<char**>(arguments), const_cast<char**>(environment));
}
