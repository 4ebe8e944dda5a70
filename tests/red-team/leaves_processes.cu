// expect: wrong-answer
// tries: Leaves a daemon in a session of its own, and a thread, to outlive its grading.
// stopped by: All of it lives in one PID namespace, which ends with its first process.
#include <unistd.h>

#include <thread>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    alarm(20);
    while (true) pause();
  }
  std::thread([] {
    while (true) pause();
  }).detach();
}
