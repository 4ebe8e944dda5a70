// The addresses of a memory instruction, lane by lane.
#pragma once

#include <cstdint>

#include "emulator/handlers/names.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

struct Addresses {
  alignas(64) std::uint64_t of[kLanes];
};

/// Address of every lane, inactive ones included (their value is never used).
inline void compute_addresses(const Warp& warp, const Instruction& i, Addresses& addresses) {
  const auto offset = static_cast<std::uint64_t>(i.offset);
  if ((i.detail & access::kAddress64) != 0) {
    const auto* base = row<std::uint64_t>(warp, i.a);
    for (unsigned lane = 0; lane < kLanes; ++lane) addresses.of[lane] = base[lane] + offset;
  } else {
    const auto* base = row<std::uint32_t>(warp, i.a);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      addresses.of[lane] = static_cast<std::uint32_t>(base[lane] + static_cast<std::uint32_t>(offset));
    }
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
