// What happens when a check of an access fails: the slow and careful half of handlers/access_checks.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/checks/finding_log.h"
#include "emulator/checks/names.h"
#include "emulator/program/handlers.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::checks {

enum class AccessKind : std::uint8_t { load, store, atomic };

/// What SharedShadow::read_place holds: which warp read last, with which lane, and where.
inline constexpr unsigned kReadWarpShift = 27, kReadLanesShift = 21;
inline constexpr std::uint32_t kSeveralLanes =
    32;  ///< added to the lane: others too, with no barrier between
inline constexpr std::uint32_t kVolatileRead = 1U << 20;  ///< and so was every read with no barrier between
inline constexpr std::uint32_t kReadPlaceMask = kVolatileRead - 1;  ///< a program has fewer places
inline std::uint32_t read_stamp(const Warp& warp, const Instruction& instruction) {
  return warp.index << kReadWarpShift | (instruction.id & kReadPlaceMask);
}
/// Whether a lane of a warp other than `lane` has read, with no barrier since. `read`, `place`: a word's
/// read_time and read_place.
inline bool read_beside(std::uint32_t warp, state::Time synced, state::Time read, std::uint32_t place,
                        unsigned lane) {
  const std::uint32_t own = warp << (kReadWarpShift - kReadLanesShift) | lane;
  return (read > synced) & (place >> kReadWarpShift == warp) & (place >> kReadLanesShift != own);
}
inline bool read_beside(const Warp& warp, state::Time read, std::uint32_t place, unsigned lane) {
  return read_beside(warp.index, warp.synced, read, place, lane);
}
/// Notes a read of a word of shared memory. `lane`: kSeveralLanes for more than one.
inline void note_read(state::SharedShadow& shadow, std::uint32_t word, const Warp& warp,
                      const Instruction& instruction, unsigned lane) {
  const std::uint32_t me = 1U << warp.index;
  const bool beside = read_beside(warp, shadow.read_time[word], shadow.read_place[word], lane);
  const bool first = shadow.read_time[word] <= warp.ordered;
  const bool all_volatile = (instruction.detail & access::kVolatile) != 0 &&
                            (first || (shadow.read_place[word] & kVolatileRead) != 0);
  shadow.read_warps[word] = first ? me : shadow.read_warps[word] | me;
  shadow.read_time[word] = warp.block->now;
  shadow.read_place[word] = read_stamp(warp, instruction) | (all_volatile ? kVolatileRead : 0) |
                            (lane | (beside ? kSeveralLanes : 0)) << kReadLanesShift;
}

/// The bytes that a lane is about to store, copied to `to`; a reference to a callable that outlives the call.
class ValueOf {
 public:
  template <class F>
  ValueOf(const F& function)  // NOLINT: implicit by design
      : context_(&function),
        write_([](const void* context, unsigned lane, unsigned lanes, unsigned width, std::byte* to) {
          for (unsigned k = 0; k < lanes; ++k)
            (*static_cast<const F*>(context))(lane + k, to + std::size_t{k} * width);
        }) {}
  void operator()(unsigned lane, std::byte* to) const { write_(context_, lane, 1, 0, to); }
  /// Of `lanes` lanes from `lane` on, `width` bytes after one another.
  void write(unsigned lane, unsigned lanes, unsigned width, std::byte* to) const {
    write_(context_, lane, lanes, width, to);
  }

 private:
  const void* context_;
  void (*write_)(const void*, unsigned lane, unsigned lanes, unsigned width, std::byte*);
};

/// Finds the allocations that the lanes access and remembers the last; false, with a finding and the launch
/// failed, when a lane is in none.
bool locate_global(Warp& warp, const Instruction& instruction, Mask active, const std::uint64_t* addresses,
                   unsigned width, AccessKind kind);

/// Whether all that the lanes load as constant memory lies there. Reports the first lane that names an
/// allocation of another kind and fails the launch: a GPU reads constants from a window of their own.
bool check_constant(Warp& warp, const Instruction& instruction, Mask active, const std::uint64_t* addresses,
                    unsigned width);

/// Reports a misaligned access of the first such lane and fails the launch.
void report_misaligned(Warp& warp, const Instruction& instruction, Mask active,
                       const std::uint64_t* addresses, unsigned width, AccessKind kind);

/// Reports the first lane whose `width` bytes at a window's offset do not end by `limit`, and fails the
/// launch.
void report_outside_window(Warp& warp, const Instruction& instruction, Mask active,
                           const std::uint64_t* offsets, unsigned width, std::uint64_t limit,
                           Finding::Space window, AccessKind kind);

/// Of lanes some of which read bytes that nothing wrote: a load into registers is looked at again when they
/// are used (undefined_values.h), anything else is reported.
void examine_uninitialised_global(Warp& warp, const Instruction& instruction, Mask active,
                                  const std::uint64_t* addresses, unsigned width);
void examine_uninitialised_shared(Warp& warp, const Instruction& instruction, Mask active,
                                  const std::uint32_t* offsets, unsigned width);

/// Reports a load of uninitialised bytes; `use`: the place of the instruction where they matter.
void report_uninitialised(Warp& warp, const UninitialisedRead& read, std::uint32_t use);

/// What lanes access of global memory: `width` bytes each.
struct GlobalAccess {
  AccessKind kind = AccessKind::load;
  Mask active = 0;
  const std::uint64_t* addresses = nullptr;
  unsigned width = 0;
  const ValueOf* value = nullptr;  ///< what a store is about to write
};

/// An earlier touch of a word of global memory, or of a byte, as it was kept there.
struct EarlierTouch {
  memory::Stamp stamp = 0;
  memory::Moment moment = 0;
  bool read = false;  ///< it read the word
};

/// A word or a byte that another block touched in this launch, or another thread of the block: a race unless
/// the two are ordered or write the same value. `earlier` may be the lane's own after all: stamps of an
/// earlier epoch are not told apart.
void examine_global_conflict(Warp& warp, const Instruction& instruction, const GlobalAccess& access,
                             unsigned lane, std::uint64_t address, EarlierTouch earlier);

/// Whether there is a moment for what a block does now.
inline bool has_moments(const ThreadBlock& block) {
  return block.now - block.moments_begin < memory::kMomentTimes - 1;
}

/// Gives the block stamps of its own when the clock has ticked, or when its moments are used up.
void begin_epoch(ThreadBlock& block, std::uint32_t now);

/// Whether a stamp of this launch is one that the block gave.
bool is_own(const ThreadBlock& block, memory::Stamp stamp);

/// Whether the touches that a stamp of this launch stands for came before all that this block does now.
bool is_ordered_before(const Warp& warp, memory::Stamp stamp);

/// A word of shared memory that another thread touched since the last barrier: likewise. `offset` is the
/// lane's.
void examine_shared_conflict(Warp& warp, const Instruction& instruction, unsigned lane, std::uint32_t word,
                             std::uint32_t offset, unsigned width, AccessKind kind, const ValueOf* value);

/// Keeps the access for drawing when its line was asked for.
void trace_access(Warp& warp, const Instruction& instruction, Mask active, const std::uint64_t* addresses,
                  unsigned width, const char* space, AccessKind kind, std::uint32_t units,
                  std::uint32_t ideal);

/// Reports a call through a pointer whose value is no function that takes what the call passes, and fails the
/// launch.
void report_wrong_callee(Warp& warp, std::uint32_t place, unsigned lane, std::uint64_t address);

/// Reports that an operation of the whole warp runs without the lanes that are not in `active`.
void report_missing_lanes(Warp& warp, const Instruction& instruction, Mask active);

/// Reports lanes whose address or stride of a matrix is not the other lanes'.
void report_different_matrices(Warp& warp, const Instruction& instruction, Mask lanes);

}  // namespace lockstep::emulator::checks
