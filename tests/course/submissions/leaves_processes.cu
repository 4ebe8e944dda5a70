// expect: wrong-answer
// Returns at once and leaves behind a process in a session of its own, as a daemon does, and a thread.
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
