// The lanes of an access as runs of neighbours in memory.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/handlers/lanes.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

/// The lanes of an access as runs of neighbours: lane l + 1 of a run accesses the bytes after lane l's.
/// Checks walk the runs, because the shadows of a run are contiguous too.
struct Runs {
  Mask starts = 0;     ///< first lanes
  Mask continues = 0;  ///< lanes whose bytes follow those of the lane before
};

inline Runs find_runs(Mask active, const std::uint64_t* addresses, unsigned width, bool contiguous) {
  if (contiguous) return {1, kAllLanes - 1};
  std::uint64_t before[kLanes];
  before[0] = 0;
  for (unsigned lane = 1; lane < kLanes; ++lane) before[lane] = addresses[lane - 1] + width;
  const Mask follows = mask_of_lanes([&](unsigned l) { return addresses[l] == before[l]; });
  const Mask continues = active & active << 1 & follows;
  return {active & ~continues, continues};
}

/// Calls f(first lane, number of lanes) for every run.
template <class F>
inline void for_runs(Runs runs, F f) {
  for (Mask left = runs.starts; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned lanes =
        lane == kLanes - 1 ? 1 : 1 + static_cast<unsigned>(std::countr_one(runs.continues >> (lane + 1)));
    f(lane, lanes);
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
