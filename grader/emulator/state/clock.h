// Logical time within a thread block, and what of it others have seen: a vector clock with a place for every
// warp.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::emulator::state {

/// One more at every barrier, every warp-wide operation and every release.
using Time = std::uint32_t;

/// By warp of a block: all that the warp did up to then. Empty: nothing of any warp.
using Clock = std::vector<Time>;

}  // namespace lockstep::emulator::state
