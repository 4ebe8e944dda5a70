#include "emulator/cudart/runtime.h"

#include <unistd.h>

#include <cstdlib>

namespace lockstep::emulator::cudart {

namespace {

pid_t& owner() {
  static pid_t process = 0;
  return process;
}

void end_program() {
  // A child of fork has no device; and a host function that ends the program is itself what is being done.
  if (::getpid() != owner() || in_host_function()) return;
  Runtime& program = runtime();
  const std::lock_guard lock(program.mutex);
  program.ending = true;
  if (!program.queues.busy()) program.queues.run_all();
}

}  // namespace

Runtime& runtime() {
  static Runtime& program = *new Runtime;
  return program;
}

void finish_at_exit() {
  if (owner() != 0) return;
  owner() = ::getpid();
  std::atexit(end_program);
}

}  // namespace lockstep::emulator::cudart
