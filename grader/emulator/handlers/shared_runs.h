// Lanes that access neighbouring words of shared memory: their shadows are runs too, so that a race is ruled
// out, and the access noted, by vector code: conditions are joined by & and |, and what a warp holds is read
// before the loops. What cannot be ruled out is for access_checks.h to examine.
#pragma once

#include <cstdint>

#include "emulator/checks/violations.h"
#include "emulator/handlers/lanes.h"
#include "emulator/program/handlers.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

/// Whether some of n words from `first` on, `each` of a thread from `thread` on, may be uninitialised or a
/// race.
template <AccessKind kind, unsigned n, unsigned each>
inline bool run_is_suspicious(const Warp& warp, std::uint32_t first, std::uint32_t thread) {
  const state::SharedShadow& shadow = warp.block->shadow;
  const Time ordered = warp.ordered, synced = warp.synced, begin = warp.block->begin;
  const std::uint32_t index = warp.index, me = 1U << index;
  const Time* write_time = shadow.write_time.data() + first;
  const Time* read_time = shadow.read_time.data() + first;
  const std::uint32_t* writer = shadow.writer.data() + first;
  const std::uint32_t* read_warps = shadow.read_warps.data() + first;
  const std::uint32_t* read_place = shadow.read_place.data() + first;
  std::uint32_t suspicious = 0;
  if constexpr (kind == AccessKind::load) {
    for (unsigned k = 0; k < n; ++k) {
      const bool uninitialised = write_time[k] < begin;
      const bool unordered = (write_time[k] > ordered) & (writer[k] != thread + k / each);
      suspicious |= std::uint32_t{uninitialised} | std::uint32_t{unordered};
    }
  } else {
    for (unsigned k = 0; k < n; ++k) {
      const bool written = (write_time[k] > ordered) & (writer[k] != thread + k / each);
      const bool read = (read_time[k] > ordered) & ((read_warps[k] & ~me) != 0);
      const bool beside = checks::read_beside(index, synced, read_time[k], read_place[k], k / each);
      suspicious |= std::uint32_t{written} | std::uint32_t{read} | std::uint32_t{beside};
    }
  }
  return suspicious != 0;
}

/// Notes that the threads have loaded or stored the words.
template <AccessKind kind, unsigned n, unsigned each>
inline void stamp_run(Warp& warp, const Instruction& i, std::uint32_t first, std::uint32_t thread) {
  state::SharedShadow& shadow = warp.block->shadow;
  const Time ordered = warp.ordered, synced = warp.synced, now = warp.block->now;
  const std::uint32_t index = warp.index, me = 1U << index;
  if constexpr (kind == AccessKind::load) {
    Time* read_time = shadow.read_time.data() + first;
    std::uint32_t* read_warps = shadow.read_warps.data() + first;
    std::uint32_t* read_place = shadow.read_place.data() + first;
    const std::uint32_t stamp = checks::read_stamp(warp, i);
    const std::uint32_t is_volatile = (i.detail & access::kVolatile) != 0 ? checks::kVolatileRead : 0;
    LOCKSTEP_INDEPENDENT_LANES
    for (unsigned k = 0; k < n; ++k) {
      // As note_read() does word by word: whether every read so far was volatile.
      const std::uint32_t all_volatile =
          is_volatile & (read_time[k] > ordered ? read_place[k] : checks::kVolatileRead);
      const bool beside = checks::read_beside(index, synced, read_time[k], read_place[k], k / each);
      read_warps[k] = read_time[k] > ordered ? read_warps[k] | me : me;
      read_time[k] = now;
      read_place[k] =
          stamp | all_volatile | (k / each | (beside ? checks::kSeveralLanes : 0)) << checks::kReadLanesShift;
    }
  } else {
    Time* write_time = shadow.write_time.data() + first;
    std::uint32_t* writer = shadow.writer.data() + first;
    std::uint32_t* write_place = shadow.write_place.data() + first;
    for (unsigned k = 0; k < n; ++k) {
      write_time[k] = now;
      writer[k] = thread + k / each;
      write_place[k] = i.id;
    }
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
