// Runs one warp until it rests: finished, before a barrier, or having gone round loops long enough.
#pragma once

#include <cstdint>

#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

enum class Rest : std::uint8_t { finished, at_barrier, yielded };

/// Makes the warp ready for the first instruction of the grid's kernel, in the block that it belongs to.
void begin_warp(Warp& warp);

/// Runs the warp. When the launch fails the warp rests as finished.
Rest run_warp(Warp& warp);

/// Source place of the instruction that a split runs next.
std::uint32_t next_place(const Split& split);

}  // namespace lockstep::emulator::execution
