// Runs a grid: blocks on workers, warps within a block, splits within a warp.
#pragma once

#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

/// Blocks of the grid that the GPU would hold at once, by threads and shared memory.
std::size_t resident_blocks(const Grid& grid);

/// Whether this machine's memory holds the blocks of one cluster, which run together.
bool can_hold_cluster(const Grid& grid);

/// Blocks of the grid that can wait for each other: no more than this machine's memory holds.
std::size_t blocks_together(const Grid& grid, unsigned workers);

/// Runs the whole grid on `workers` threads, the calling one among them, and returns when it has finished or
/// failed. The counters of all workers are added to `counters`, and their spans to `span`; what printf wrote
/// is returned in block order.
std::string run_grid(Grid& grid, unsigned workers, counters::Counters& counters, counters::Span& span);

}  // namespace lockstep::emulator::execution
