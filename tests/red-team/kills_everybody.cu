// expect: wrong-answer
// tries: Sends SIGKILL to its parent, to process 1 and to all that it can reach.
// stopped by: In its PID namespace there is nobody but its own keeper, whom no signal from within reaches.
#include <unistd.h>

#include <csignal>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (const pid_t process : {getppid(), pid_t{1}, pid_t{-1}}) kill(process, SIGKILL);
}
