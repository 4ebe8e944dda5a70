// What left the device for the host, copied there or printed by kernels, and what came from there.
#pragma once

#include <cstdint>

#include "device/device.h"
#include "judge/limits.h"

namespace lockstep::judge {

/// One way, of the calls that copied more than they may.
struct CopiesOneWay {
  std::uint64_t beyond = 0;  ///< bytes beyond those that are free, of each call
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< all of theirs

  CopiesOneWay& operator+=(const CopiesOneWay& more) {
    beyond += more.beyond;
    calls += more.calls;
    bytes += more.bytes;
    return *this;
  }
};

struct HostCopies {
  CopiesOneWay to_host, from_host;
  std::uint64_t printed = 0;  ///< of the bytes to the host

  HostCopies& operator+=(const HostCopies& more) {
    to_host += more.to_host;
    from_host += more.from_host;
    printed += more.printed;
    return *this;
  }
};

inline CopiesOneWay copies_beyond(std::uint64_t free, std::uint64_t bytes) {
  if (bytes <= free) return {};
  return {bytes - free, 1, bytes};
}

inline HostCopies host_copies_of_call(const device::RunnerUse& use) {
  const CopiesOneWay to_host = copies_beyond(kFreeHostReads, use.host_reads);
  return {to_host, copies_beyond(kFreeHostWrites, use.host_writes), to_host.calls == 0 ? 0 : use.printed};
}

}  // namespace lockstep::judge
