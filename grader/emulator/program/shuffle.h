// Which lane a lane of shfl reads. PTX ISA 9.7.9.6.
#pragma once

#include <cstdint>

#include "emulator/program/handlers.h"

namespace lockstep::emulator::program {

/// Set in what shuffle_source gives when the lane is in range; else a lane gets its own value.
inline constexpr std::uint32_t kShuffleInRange = 32;

/// The lane in its low five bits, and kShuffleInRange. `by`: operand b, a distance or a lane; `control`:
/// operand c, which holds clamp and segment. One number, so that a loop over lanes becomes vector code.
inline std::uint32_t shuffle_source(WarpOperation operation, std::uint32_t lane, std::uint32_t by,
                                    std::uint32_t control) {
  const std::uint32_t segment = control >> 8 & 0x1F;
  const std::uint32_t clamp = control & 0x1F;
  const std::uint32_t least = lane & segment;
  const std::uint32_t most = least | (clamp & ~segment);
  const std::uint32_t distance = by & 0x1F;
  std::uint32_t from = 0;
  bool inside = false;
  switch (operation) {
    case WarpOperation::shuffle_up:
      from = lane - distance;
      inside = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(most);
      break;
    case WarpOperation::shuffle_down:
      from = lane + distance;
      inside = from <= most;
      break;
    case WarpOperation::shuffle_butterfly:
      from = lane ^ distance;
      inside = from <= most;
      break;
    default:
      from = least | (distance & ~segment);
      inside = from <= most;
      break;
  }
  return inside ? (from & 0x1F) | kShuffleInRange : lane;
}

}  // namespace lockstep::emulator::program
