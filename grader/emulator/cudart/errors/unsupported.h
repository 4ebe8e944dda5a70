// Refusal of what the emulated device does not have, by name.
#pragma once

#include <string>

namespace lockstep::emulator::cudart {

/// Says once on stderr that `what` is not supported, and throws Failure.
[[noreturn]] void refuse(const std::string& what);

}  // namespace lockstep::emulator::cudart
