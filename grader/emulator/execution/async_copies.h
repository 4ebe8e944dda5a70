// Copies to shared memory that a thread has issued and not waited for: cp.async, cp.async.bulk.
//
// The data is taken when the copy is issued and arrives when the thread waits for it, or when somebody waits
// for the mbarrier that the copy was tied to. Until then the words are marked: who touches them has a race
// with the copy. PTX ISA 9.7.9.25.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

/// Takes note of a copy by one lane whose destination has been checked as a store.
void issue_copy(Warp& warp, const Instruction& instruction, unsigned lane, std::uint32_t to,
                const std::byte* data);

/// Completes the copies that an mbarrier of the block waits for, and arrives there.
void complete_arrivals(ThreadBlock& block, std::uint32_t mbarrier);

/// Ends the copies of a block whose threads have all exited.
void end_copies(ThreadBlock& block);

// Handlers. Instruction::offset of a wait is the number of groups that may be left.
void commit_copies(Warp& warp, const Instruction& instruction, Mask active);
void wait_for_copies(Warp& warp, const Instruction& instruction, Mask active);
void wait_for_all_copies(Warp& warp, const Instruction& instruction, Mask active);
/// cp.async.mbarrier.arrive; row a is the address.
void arrive_after_copies(Warp& warp, const Instruction& instruction, Mask active);
/// cp.async.bulk: row a is the destination's address, b the source's, c the number of bytes, vector[0] the
/// mbarrier's address.
void copy_bulk_from_global(Warp& warp, const Instruction& instruction, Mask active);
void copy_bulk_from_shared(Warp& warp, const Instruction& instruction, Mask active);
void copy_bulk_to_global(Warp& warp, const Instruction& instruction, Mask active);
void commit_bulk_copies(Warp& warp, const Instruction& instruction, Mask active);
void wait_for_bulk_copies(Warp& warp, const Instruction& instruction, Mask active);

/// Instruction::detail of arrive_after_copies: the arrival is one that the mbarrier expects (.noinc).
inline constexpr std::uint16_t kExpectedArrival = 1 << 9;
/// Of bulk copies: the rows of the source's and the mbarrier's addresses are 64 bits wide.
inline constexpr std::uint16_t kWideSource = 1 << 10, kWideMbarrier = 1 << 11;

}  // namespace lockstep::emulator::execution
