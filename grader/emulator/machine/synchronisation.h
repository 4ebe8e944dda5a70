// Logical time of warps and blocks: what barriers and warp-wide operations order, for the race check.
#pragma once

#include "emulator/machine/warp.h"

namespace lockstep::emulator {

/// The warp's lanes have met: what each did before happened before what any of them does now.
inline void order_warp(Warp& warp) {
  warp.synced = warp.block->now;
  ++warp.block->now;
}

/// Reports that lanes of `undefined` read a register of a lane that takes no part in the shuffle.
void report_undefined_shuffle(Warp& warp, const Instruction& instruction, Mask active, Mask undefined);

}  // namespace lockstep::emulator
