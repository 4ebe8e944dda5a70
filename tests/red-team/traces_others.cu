// expect: wrong-answer
// tries: Attaches to its parent with ptrace, and opens the memory of every process.
// stopped by: The judge is in no namespace of the sandbox, and the keeper cannot be traced.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <string>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  const char nothing[64] = {};
  for (int process = 1; process < 300; ++process) {
    if (process == getpid()) continue;
    if (ptrace(PTRACE_ATTACH, process, nullptr, nullptr) == 0) return;
    const int memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDWR);
    if (memory < 0) continue;
    for (off_t at = 0x400000; at < 0x800000; at += 4096) {
      if (pwrite(memory, nothing, sizeof nothing, at) < 0) break;
    }
    close(memory);
  }
}
