// expect: wrong-answer
// tries: Leaves a child, in a session of its own, that blocks and ignores every signal.
// stopped by: The sandbox is ended by SIGKILL for its first process, and with that the kernel ends all the
// others.
#include <unistd.h>

#include <csignal>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  if (fork() != 0) return;
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_IGN);
  while (true) pause();
}
