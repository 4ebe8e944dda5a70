#include "emulator/cudart/streams/default_stream.h"

#include <utility>

/// Set by the generated entry points of the per-thread forms, which then go on to the plain ones.
extern "C" {
thread_local bool lockstep_per_thread_form = false;
}

namespace lockstep::emulator::cudart {

namespace {

cudaStream_t& current() {
  thread_local cudaStream_t stream = cudaStreamLegacy;
  return stream;
}

}  // namespace

void begin_call() {
  current() = std::exchange(lockstep_per_thread_form, false) ? cudaStreamPerThread : cudaStreamLegacy;
}

cudaStream_t default_stream() { return current(); }

}  // namespace lockstep::emulator::cudart
