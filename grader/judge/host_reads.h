// What left the device for the host, copied there or printed by kernels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/device.h"
#include "judge/limits.h"

namespace lockstep::judge {

/// Of the calls that brought more than kFreeHostReads to the host.
struct HostReads {
  std::uint64_t beyond = 0;  ///< bytes beyond kFreeHostReads a call
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0, printed = 0;  ///< all of their bytes, and those that kernels printed

  HostReads& operator+=(const HostReads& more) {
    beyond += more.beyond;
    calls += more.calls;
    bytes += more.bytes;
    printed += more.printed;
    return *this;
  }
};

inline HostReads host_reads_of_call(const device::RunnerUse& use) {
  if (use.host_reads <= kFreeHostReads) return {};
  return {use.host_reads - kFreeHostReads, 1, use.host_reads, use.printed};
}

}  // namespace lockstep::judge
