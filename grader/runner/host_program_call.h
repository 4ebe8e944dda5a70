// How a host program is called, where the device is emulated.
#pragma once

#include <cstdint>

namespace lockstep::runner {

struct HostProgramCall {
  std::uint32_t failing_call = 0;  ///< number of the call of the CUDA runtime that fails; 0: none does
  /// While the host waits for one stream, others do their work too; else they stay as they are.
  bool streams_alternate = false;
};

}  // namespace lockstep::runner
