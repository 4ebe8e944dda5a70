// Barriers of a thread block: who waits, when they open, what they order; and the sleep of who polls instead.
#pragma once

#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

/// Barriers of a block, by number.
inline constexpr std::uint32_t kBarriers = 16;

/// What bar and barrier do, as Instruction::detail.
enum class BarrierOperation : std::uint16_t { wait, arrive, count_votes, all_votes, any_vote };

/// Opens every barrier whose threads have all arrived. `resting` are the warps that wait at one (unfinished
/// warps not among them still run). Returns whether any opened.
bool open_barriers(ThreadBlock& block, const std::vector<Warp*>& resting, std::size_t unfinished);

/// The lanes' warp arrives at a barrier of `threads` threads without waiting there.
void arrive_at_barrier(Warp& warp, std::uint32_t number, std::uint32_t threads);

/// Reports that the block's warps wait for each other without end, and fails the launch.
void report_deadlock(ThreadBlock& block, const std::vector<Warp*>& resting);

/// The same of warps that wait for an mbarrier.
void report_endless_wait(ThreadBlock& block);

// Handlers: what is left of a barrier's instruction when it has opened, and nanosleep: at the end of the
// loop's round all others run first, so that the polls of who sleeps in between stay few.
void take_votes(Warp& warp, const Instruction& instruction, Mask active);
void let_others_run(Warp& warp, const Instruction& instruction, Mask active);

}  // namespace lockstep::emulator::execution
