// How many sectors and wavefronts one warp-wide access takes.
//
// A request to global memory moves the distinct 32-byte sectors that its lanes touch. Shared memory has 32
// banks of 4 bytes; an access takes as many wavefronts as the most contended bank has distinct words. Lanes
// of 8- and 16-byte accesses are served half and a quarter of a warp at a time, and twice as many where each
// lane shares its address with the one beside it, or each with the one after next. An atomic on shared memory
// cannot merge lanes that share a word, unless all do: then the compiler lets one lane add for the warp; or
// unless each adds 1 and asks for no result: then the GPU counts lanes, and such an atomic takes the
// wavefronts of a store. How evenly lanes lie apart is found in handlers/lane_spacing.h. Reproduces the
// counters of an H200 (tests/machine/traffic_test.cpp holds the measured table, and
// measurements/nvidia-h200/counters.json those of whole kernels).
#pragma once

#include <cstdint>

#include "emulator/program/program.h"

namespace lockstep::emulator::program {

struct Units {
  std::uint32_t units = 0;
  std::uint32_t ideal = 0;  ///< fewest that as many distinct bytes could take
};

/// The functions that count, of one instruction-set level (handlers.h). Lanes outside of `active` do not
/// matter.
struct TrafficTable {
  /// Sectors of an access of `width` bytes at addresses[lane]. Widths 1 to 16; an access that is not aligned
  /// to its width may touch two sectors.
  Units (*global_sectors)(const std::uint64_t* addresses, Mask active, unsigned width);
  /// Wavefronts of a load or store, or of an atomic that counts lanes, of `width` bytes at byte offsets
  /// offsets[lane] in shared memory.
  Units (*shared_wavefronts)(const std::uint32_t* offsets, Mask active, unsigned width);
  /// Wavefronts of any other atomic on shared memory, 2, 4 or 8 bytes wide; one of 2 takes its word's bank.
  Units (*shared_atomic_wavefronts)(const std::uint32_t* offsets, Mask active, unsigned width);
  /// The most active lanes that have one address, or one offset: an atomic serves them one after another.
  unsigned (*most_at_one_address)(const std::uint64_t* addresses, Mask active);
  unsigned (*most_at_one_offset)(const std::uint32_t* offsets, Mask active);
};

}  // namespace lockstep::emulator::program
