// How many processors this process may use.
#pragma once

#include <sched.h>

#include <algorithm>
#include <thread>

namespace lockstep::emulator {

/// Those that the process may run on, at least 1: a container, a batch system or taskset may leave it fewer
/// than the machine has, which std::thread::hardware_concurrency does not see.
inline unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&set)));
  return std::max(1U, std::thread::hardware_concurrency());  // more processors than the set has room for
}

}  // namespace lockstep::emulator
