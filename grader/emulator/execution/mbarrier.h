// mbarrier: barriers that are objects in shared memory. PTX ISA 9.7.13.15.
//
// The object's 64 bits hold its phase, the arrivals and bytes that it waits for, in a layout of this device's
// own. What the race check has to know besides, whose accesses an arrival releases, is kept beside it.
#pragma once

#include <cstdint>

#include "emulator/execution/names.h"
#include "emulator/state/mbarrier_clock.h"

namespace lockstep::emulator::execution {

using state::MbarrierClock;

/// What the object's word says.
struct MbarrierWord {
  std::uint32_t phase = 0;     ///< its parity
  std::uint32_t expected = 0;  ///< arrivals of a phase
  std::uint32_t pending = 0;   ///< arrivals that the current phase waits for
  std::int32_t bytes = 0;  ///< of asynchronous copies that it waits for; negative: more came than expected

  std::uint64_t encode() const;
  static MbarrierWord decode(std::uint64_t word);
};

/// The object at an offset of the block's shared memory; null when there is none, or when something else has
/// written over it.
MbarrierClock* find_mbarrier(ThreadBlock& block, std::uint32_t offset);

/// Takes `arrivals` and `bytes` off what the current phase waits for, and ends it when nothing is left.
void count_down(ThreadBlock& block, std::uint32_t offset, MbarrierClock& mbarrier, std::uint32_t arrivals,
                std::int32_t bytes);

/// One more arrival for the current phase to wait for; false when there are as many as there can be.
bool add_pending(ThreadBlock& block, std::uint32_t offset, MbarrierClock& mbarrier);

// Handlers. Row a is the address, b a count of arrivals, c one of bytes.
void init_mbarrier(Warp& warp, const Instruction& instruction, Mask active);
void invalidate_mbarrier(Warp& warp, const Instruction& instruction, Mask active);
void arrive_at_mbarrier(Warp& warp, const Instruction& instruction, Mask active);
/// expect_tx, and complete_tx where detail says so.
void expect_bytes(Warp& warp, const Instruction& instruction, Mask active);
/// test_wait and try_wait; row b is the phase: a token, or a parity where detail says so.
void wait_at_mbarrier(Warp& warp, const Instruction& instruction, Mask active);
/// Row a is a token.
void pending_count(Warp& warp, const Instruction& instruction, Mask active);

/// Instruction::detail of these.
namespace mbarrier {
inline constexpr std::uint16_t kDrops = 1 << 9;
inline constexpr std::uint16_t kCompletesNothing = 1 << 10;
inline constexpr std::uint16_t kRelaxed = 1 << 11;
inline constexpr std::uint16_t kParity = 1 << 12;
inline constexpr std::uint16_t kCompletesBytes = 1 << 13;
inline constexpr std::uint16_t kClusterScope = 1 << 14;
}  // namespace mbarrier

}  // namespace lockstep::emulator::execution
