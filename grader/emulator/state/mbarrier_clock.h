// What the arrivals at an mbarrier of a block's shared memory have released.
#pragma once

#include <cstdint>

#include "emulator/state/clock.h"

namespace lockstep::emulator::state {

/// What the arrivals at one mbarrier released.
struct MbarrierClock {
  Clock arriving;          ///< in the current phase
  Clock completed;         ///< in those before
  std::uint64_t word = 0;  ///< as the latest operation left it
};

}  // namespace lockstep::emulator::state
