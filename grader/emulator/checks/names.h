// Names of other parts that this folder uses all the time. It does without the headers of state/, as a warp
// holds its undefined values (undefined_values.h).
#pragma once

#include "emulator/core/lane_mask.h"
#include "emulator/program/handlers.h"
#include "emulator/program/program.h"

namespace lockstep::emulator::state {
struct Grid;
struct ThreadBlock;
struct Warp;
}  // namespace lockstep::emulator::state

namespace lockstep::emulator::checks {

namespace access = program::access;

using program::BasicBlock;
using program::Function;
using program::Instruction;
using program::Slot;
using state::Grid;
using state::ThreadBlock;
using state::Warp;

}  // namespace lockstep::emulator::checks
