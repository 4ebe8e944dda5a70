// Which lanes of one warp's access meet in which bank of shared memory, or in which sector of global memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/observations.h"

namespace lockstep::report {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kBanks = 32;  ///< of shared memory, each 4 bytes wide
inline constexpr unsigned kWordBytes = 4;
inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kSectorWords = kSectorBytes / kWordBytes;

/// The lanes that touch one 4-byte word, in ascending order.
using Touching = std::vector<unsigned>;

struct Word {
  std::uint64_t address = 0;
  Touching lanes;
};

struct Sector {
  std::uint64_t address = 0;
  std::array<Touching, kSectorWords> words;
};

/// Distinct words that the access touches in each bank, by address. A bank with more than one delivers them
/// one after another.
std::array<std::vector<Word>, kBanks> words_by_bank(const emulator::AccessTrace& trace);

/// Whether the banks serve each lane of the access by itself: it is an atomic, and neither does the GPU only
/// count its lanes nor has the compiler added up those of one address.
bool serves_lanes_apart(const emulator::AccessTrace& trace);

/// The same as the banks take it: of an atomic that cannot serve lanes together, each lane is a word of its
/// own.
std::array<std::vector<Word>, kBanks> queues_of_banks(const emulator::AccessTrace& trace);

/// Distinct addresses of the lanes, in ascending order. An atomic serves the lanes of one of them one after
/// another.
std::vector<Word> lanes_by_address(const emulator::AccessTrace& trace);
std::size_t most_lanes_at_one_address(const emulator::AccessTrace& trace);

/// Sectors that the access touches, by address.
std::vector<Sector> touched_sectors(const emulator::AccessTrace& trace);

}  // namespace lockstep::report
