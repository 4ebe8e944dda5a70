#include "lanes_of_level.h"

#include "emulator/handlers/lanes.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

const LaneFunctions lane_functions = {
    lanes_equal, first_of_each,
    [](const std::uint32_t* values) {
      return mask_of_lanes([&](unsigned lane) { return values[lane] % 2 != 0; });
    },
    [](Mask active, const std::uint32_t* values) { return is_uniform(active, values); }};

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
