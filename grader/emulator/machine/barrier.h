// Barriers of a thread block: who waits, when they open, what they order.
#pragma once

#include "emulator/machine/warp.h"

namespace lockstep::emulator {

/// Opens every barrier whose threads have all arrived. `resting` are the warps that wait at one (unfinished
/// warps not among them still run). Returns whether any opened.
bool open_barriers(ThreadBlock& block, const std::vector<Warp*>& resting, std::size_t unfinished);

/// Reports that the block's warps wait for each other without end, and fails the launch.
void report_deadlock(ThreadBlock& block, const std::vector<Warp*>& resting);

}  // namespace lockstep::emulator
