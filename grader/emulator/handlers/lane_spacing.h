// How far neighbouring lanes lie apart in memory: what advice about an uncoalesced access begins with.
#pragma once

#include <bit>

#include "emulator/handlers/lanes.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

/// Bytes between neighbouring active lanes when at least three quarters of the pairs lie that far apart, as
/// they do where a row of the thread block is shorter than a warp; 0 when they lie otherwise. Scattered lanes
/// cost two subtractions.
/// Not inlined: it would be in every access handler, and most accesses have no excess.
template <class T>
[[gnu::noinline]] std::uint64_t lane_spacing(const T* addresses, Mask active) {
  const Mask pairs = active & active >> 1;  // bit l: lanes l and l + 1
  const Mask later = pairs & (pairs - 1);
  if (later == 0) return 0;
  const auto distance_at = [&](unsigned lane) { return addresses[lane + 1] - addresses[lane]; };
  const T distance = distance_at(first_lane(pairs));
  if (distance == 0 || distance_at(first_lane(later)) != distance) return 0;
  T next[kLanes] = {};
  for (unsigned lane = 0; lane + 1 < kLanes; ++lane) next[lane] = addresses[lane + 1];
  const Mask equal =
      pairs & mask_of_lanes([&](unsigned lane) { return next[lane] - addresses[lane] == distance; });
  if (4 * std::popcount(equal) < 3 * std::popcount(pairs)) return 0;
  const T backwards = T{0} - distance;
  return distance < backwards ? distance : backwards;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
