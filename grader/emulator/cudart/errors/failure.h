// Errors of the runtime: how they are raised inside it, and the one place where they become cudaError_t
// values.
#pragma once

#include <string>

#include "emulator/cudart/api.h"
#include "emulator/server/protocol.h"

namespace lockstep::emulator::cudart {

/// Ends an API call; call() turns it into the call's result.
struct Failure {
  cudaError_t code = cudaSuccess;
  bool of_kernel = false;  ///< a kernel failed earlier: every call fails from then on
  server::RefusalReason reason = server::RefusalReason::none;
  server::RangeRequest range{};  ///< that does not fit, where this is the reason
};

cudaError_t code_of(server::Status status);

/// The calling thread's last failure, as cudaPeekAtLastError sees it.
Failure& last_failure();

/// Throws cudaErrorInvalidValue unless `condition` holds.
inline void require(bool condition) {
  if (!condition) throw Failure{cudaErrorInvalidValue};
}

const char* name_of(cudaError_t error);
const char* sentence_of(cudaError_t error);

}  // namespace lockstep::emulator::cudart
