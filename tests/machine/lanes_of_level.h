// What handlers/lanes.h writes with the vector instructions of a level of x86-64, compiled for each level.
#pragma once

#include <cstdint>

#include "emulator/core/lane_mask.h"

namespace lockstep::emulator::handlers {

struct LaneFunctions {
  Mask (*lanes_equal)(const std::uint32_t* values, std::uint32_t value);
  Mask (*first_of_each)(Mask active, const std::uint32_t* values);
  Mask (*odd_lanes)(const std::uint32_t* values);  ///< by mask_of_lanes
  bool (*is_uniform)(Mask active, const std::uint32_t* values);
};

namespace x86_64_v2 {
extern const LaneFunctions lane_functions;
}
namespace x86_64_v3 {
extern const LaneFunctions lane_functions;
}
namespace x86_64_v4 {
extern const LaneFunctions lane_functions;
}

}  // namespace lockstep::emulator::handlers
