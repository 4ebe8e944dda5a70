// Which lane a lane of shfl reads. PTX ISA 9.7.9.6.
#pragma once

#include <cstdint>

#include "emulator/machine/handlers.h"

namespace lockstep::emulator {

struct ShuffleSource {
  std::uint32_t lane = 0;
  bool in_range = false;  ///< else the lane gets its own value
};

/// `by`: operand b, a distance or a lane; `control`: operand c, which holds clamp and segment.
inline ShuffleSource shuffle_source(WarpOperation operation, std::uint32_t lane, std::uint32_t by,
                                    std::uint32_t control) {
  const std::uint32_t segment = control >> 8 & 0x1F, clamp = control & 0x1F, distance = by & 0x1F;
  const std::uint32_t least = lane & segment, most = least | (clamp & ~segment);
  std::uint32_t from = 0;
  bool in_range = false;
  switch (operation) {
    case WarpOperation::shuffle_up:
      from = lane - distance;
      in_range = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(most);
      break;
    case WarpOperation::shuffle_down:
      from = lane + distance;
      in_range = from <= most;
      break;
    case WarpOperation::shuffle_butterfly:
      from = lane ^ distance;
      in_range = from <= most;
      break;
    default:
      from = least | (distance & ~segment);
      in_range = from <= most;
      break;
  }
  return {in_range ? from & 0x1F : lane, in_range};
}

}  // namespace lockstep::emulator
