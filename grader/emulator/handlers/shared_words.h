// The short ways of the checks in shared memory: accesses of which it is soon seen that nothing is wrong.
// Each returns true when that is so, and the words are stamped with the access; else nothing has changed, and
// access_checks.h examines the words one by one.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/checks/violations.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/shared_runs.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

/// What is known of the words of shared memory that one access touches, and what it leaves there.
struct SharedWords {
  SharedWords(Warp& from, const Instruction& by)
      : warp(from),
        shadow(from.block->shadow),
        begin(from.block->begin),
        now(from.block->now),
        first_thread(from.index * kLanes),
        instruction(by),
        strong(access::is_strong(by.detail)),
        is_volatile((by.detail & access::kVolatile) != 0) {}

  /// Whether a write may be unordered before what thread `first_thread + lane` does now.
  bool may_race(Time written, std::uint32_t writer, unsigned lane) const {
    const std::uint32_t thread = writer & ~(state::kAtomicWriter | state::kVolatileWriter);
    return written > warp.ordered && thread != first_thread + lane &&
           !(thread / kLanes == warp.index && written <= warp.synced);
  }
  bool read_elsewhere(Time read, std::uint32_t warps) const {
    return read > warp.ordered && (warps & ~(1U << warp.index)) != 0;
  }
  /// `lane`: kSeveralLanes for more than one.
  void leave_read(std::uint32_t word, unsigned lane) const {
    if (!strong)
      checks::note_read(shadow, word, warp, instruction, lane);  // else an atomic may follow it unordered
  }
  void leave_write(std::uint32_t word, std::uint32_t writer) const {
    shadow.write_time[word] = now;
    shadow.writer[word] = writer;
    shadow.write_place[word] = instruction.id;
  }

  Warp& warp;
  state::SharedShadow& shadow;
  Time begin, now;
  std::uint32_t first_thread;
  const Instruction& instruction;
  bool strong;       ///< an access that may race with atomics
  bool is_volatile;  ///< likewise, in words that are accessed atomically
};

/// An access of 32 lanes side by side, `each` words a lane.
template <AccessKind kind, unsigned each>
inline bool pass_shared_lanes(const SharedWords& at, std::uint32_t first) {
  if (run_is_suspicious<kind, kLanes * each, each>(at.warp, first, at.first_thread)) return false;
  stamp_run<kind, kLanes * each, each>(at.warp, at.instruction, first, at.first_thread);
  return true;
}

/// The same for any number of words a lane; other numbers than these are rare.
template <AccessKind kind>
inline bool pass_shared_run(const SharedWords& at, std::uint32_t first, std::uint32_t words) {
  switch (words) {
    case 1:
      return pass_shared_lanes<kind, 1>(at, first);
    case 2:
      return pass_shared_lanes<kind, 2>(at, first);
    case 4:
      return pass_shared_lanes<kind, 4>(at, first);
    default:
      return false;
  }
}

/// A load of the same words by all active lanes.
inline bool pass_shared_broadcast(const SharedWords& at, Mask active, std::uint32_t first, unsigned words) {
  // Lanes other than the writer's own read too, so the writer's lane is no excuse.
  constexpr unsigned kNoLane = 1U << 16;
  const unsigned reader = std::has_single_bit(active) ? first_lane(active) : kNoLane;
  for (std::uint32_t word = first; word < first + words; ++word) {
    const Time written = at.shadow.write_time[word];
    if (written < at.begin || at.may_race(written, at.shadow.writer[word], reader)) return false;
  }
  const unsigned readers = std::has_single_bit(active) ? reader : checks::kSeveralLanes;
  for (std::uint32_t word = first; word < first + words; ++word) at.leave_read(word, readers);
  return true;
}

/// An access of one word a lane, wherever. A store's words must differ from lane to lane.
template <AccessKind kind>
inline bool pass_shared_scattered(const SharedWords& at, Mask active, const std::uint32_t* offsets,
                                  unsigned shift) {
  alignas(64) std::uint32_t words[kLanes];
  // Inactive lanes look at a word that is looked at anyway.
  const std::uint32_t some = offsets[first_lane(active)] >> shift;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    words[lane] = (active >> lane & 1) != 0 ? offsets[lane] >> shift : some;
  }
  const Time* write_time = at.shadow.write_time.data();
  const std::uint32_t* writer = at.shadow.writer.data();
  const Time* read_time = at.shadow.read_time.data();
  const std::uint32_t* read_place = at.shadow.read_place.data();
  const Mask suspicious = mask_of_lanes([&](unsigned l) {
    const std::uint32_t word = words[l];
    const bool uninitialised = kind == AccessKind::load && write_time[word] < at.begin;
    const bool read =
        kind == AccessKind::store && (at.read_elsewhere(read_time[word], at.shadow.read_warps[word]) ||
                                      checks::read_beside(at.warp, read_time[word], read_place[word], l));
    return uninitialised | read | at.may_race(write_time[word], writer[word], l);
  });
  if ((suspicious & active) != 0) return false;
  if (kind == AccessKind::store && first_of_each(active, words) != active) return false;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if constexpr (kind == AccessKind::load) {
      at.leave_read(words[lane], lane);
    } else {
      at.leave_write(words[lane], at.first_thread + lane);
    }
  }
  return true;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
