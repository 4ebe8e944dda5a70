// The lanes of a warp, and sets of them.
#pragma once

#include <bit>
#include <cstdint>

namespace lockstep::emulator {

inline constexpr unsigned kLanes = 32;
using Mask = std::uint32_t;
inline constexpr Mask kAllLanes = 0xFFFF'FFFF;

/// The lowest lane of a mask that names at least one.
inline unsigned first_lane(Mask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

}  // namespace lockstep::emulator
