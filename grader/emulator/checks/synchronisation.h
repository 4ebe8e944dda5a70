// Logical time of warps and blocks: what barriers, releases and warp-wide operations order, for the race
// check.
#pragma once

#include <atomic>

#include "emulator/checks/names.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::checks {

/// The warp's lanes have met: what each did before happened before what any of them does now.
inline void order_warp(Warp& warp) {
  warp.synced = warp.block->now;
  ++warp.block->now;
}

/// Makes `clock` know what the warp has done and seen in its block.
void release_to(Warp& warp, state::Clock& clock);
/// What `clock` knows of the warp's block happened before what the warp does now.
void acquire_from(Warp& warp, const state::Clock& clock);

/// A place in the block's `seen` for every pair of warps, which blocks that only use whole barriers do
/// without.
void require_seen(ThreadBlock& block);

/// What other warps of the block have released is seen from now on, and the other way.
inline void acquire_in_block(Warp& warp) { warp.block->acquired = warp.block->now; }
inline void release_in_block(Warp& warp) { warp.fenced = warp.block->now++; }

/// An access that orders memory between blocks: what other blocks released is seen from now on. It comes
/// behind the access that finds something, as a release comes before the one that leaves something: workers
/// do both at the same time.
inline void acquire(Warp& warp) {
  const Grid& grid = *warp.block->grid;
  acquire_in_block(warp);
  if (grid.acquired == nullptr) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  grid.acquired[warp.block->linear].store(grid.clock.load(std::memory_order_relaxed),
                                          std::memory_order_relaxed);
}
inline void release(Warp& warp) {
  Grid& grid = *warp.block->grid;
  release_in_block(warp);
  if (grid.released == nullptr) return;
  const std::uint32_t now = grid.clock.fetch_add(1, std::memory_order_relaxed) + 1;
  grid.released[warp.block->linear].store(now, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}
/// Before an access that leaves something that another block may find: who finds it knows what the block has
/// released so far, and nothing that it releases later.
inline void signal(Warp& warp) {
  Grid& grid = *warp.block->grid;
  if (grid.released == nullptr) return;
  const std::uint32_t block = warp.block->linear;
  const std::uint32_t released = grid.released[block].load(std::memory_order_relaxed);
  if (grid.signalled[block].load(std::memory_order_relaxed) == released) return;
  grid.signalled[block].store(released, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}

/// Reports that lanes of `undefined` read a register of a lane that takes no part in the shuffle.
void report_undefined_shuffle(Warp& warp, const Instruction& instruction, Mask active, Mask undefined);

}  // namespace lockstep::emulator::checks
