// Device functions that the machine provides: printf, assert, malloc and free.
#pragma once

#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

/// Runs a built-in call for the given lanes; an assertion that failed ends the launch.
void run_builtin(Warp& warp, const CallSite& site, std::uint32_t place, Mask lanes);

}  // namespace lockstep::emulator::execution
