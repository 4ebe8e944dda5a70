// Whether the rows of an array in shared memory can be made a little longer, so that lanes which take the
// same column of different rows meet in no bank: found by moving the addresses that were recorded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "emulator/core/lane_distance.h"
#include "emulator/core/observations.h"

namespace lockstep::emulator {

/// What becomes of a kernel's accesses where lanes lie as much further apart as one of them takes.
struct Padding {
  enum class Effect : std::uint8_t {
    helps,      ///< these lanes, and no others meet
    misaligns,  ///< another access of the array needs rows that begin at multiples of its width
    harms,      ///< the lanes of another access of the array would meet
  };
  Effect effect = Effect::helps;
  std::uint32_t line = 0;   ///< of the other access
  std::uint32_t bytes = 0;  ///< a lane of it
};

/// Rows of shared memory with something free after each.
struct PaddedRows {
  std::uint64_t length = 1;  ///< bytes, without what is free
  std::uint64_t free = 0;    ///< bytes
  std::uint64_t first = 0;   ///< where one row begins, less than a row

  std::uint64_t moved(std::uint64_t address) const {
    return address + (address + length - first) / length * free;
  }
};

/// Passes that a load or store of these addresses takes in such rows.
inline std::size_t passes_in(const AccessTrace& access, const PaddedRows& rows) {
  constexpr unsigned kLanesOfWarp = 32, kBankCount = 32, kBytesOfPass = 128, kBytesOfWord = 4;
  const unsigned together = std::min(kLanesOfWarp, kBytesOfPass / access.bytes);
  std::size_t passes = 0;
  for (unsigned begin = 0; begin < kLanesOfWarp; begin += together) {
    std::array<std::set<std::uint64_t>, kBankCount> words;
    for (unsigned lane = begin; lane < begin + together; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const std::uint64_t address = rows.moved(access.addresses[lane]);
      for (std::uint64_t at = address; at < address + access.bytes; at += kBytesOfWord)
        words[at / kBytesOfWord % kBankCount].insert(at / kBytesOfWord);
    }
    passes += std::ranges::max(words, {}, [](const auto& of_bank) { return of_bank.size(); }).size();
  }
  return passes;
}

/// The lowest and the highest address that an access names.
inline std::pair<std::uint64_t, std::uint64_t> extent_of(const AccessTrace& access) {
  std::pair<std::uint64_t, std::uint64_t> extent{~std::uint64_t{0}, 0};
  for (unsigned lane = 0; lane < access.addresses.size(); ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    extent = {std::min(extent.first, access.addresses[lane]),
              std::max(extent.second, access.addresses[lane])};
  }
  return extent;
}

/// Of the accesses of the line's kernel those that reach into what the conflicting ones of the line reach
/// over: they use the same array, as far as addresses tell.
inline std::vector<const AccessTrace*> of_same_array(const std::vector<AccessTrace>& accesses,
                                                     const LineCounters& line) {
  std::pair<std::uint64_t, std::uint64_t> reach{~std::uint64_t{0}, 0};
  for (const AccessTrace& access : accesses) {
    const bool conflicts = access.units > access.ideal_units;
    if (access.function != line.function || access.line != line.line || !conflicts) continue;
    const auto [low, high] = extent_of(access);
    reach = {std::min(reach.first, low), std::max(reach.second, high)};
  }
  std::vector<const AccessTrace*> same;
  for (const AccessTrace& access : accesses) {
    const auto [low, high] = extent_of(access);
    if (access.function == line.function && low <= reach.second && high >= reach.first)
      same.push_back(&access);
  }
  return same;
}

/// For lanes of `line` that lie `stride` apart, and meet; Effect::helps where nothing was recorded.
inline Padding padding_of(const std::vector<AccessTrace>& accesses, const LineCounters& line,
                          const BankStride& stride) {
  constexpr std::uint64_t kBytesOfWord = 4, kMaxStarts = 32;
  const std::vector<const AccessTrace*> same = of_same_array(accesses, line);
  const std::uint64_t length = stride.words * kBytesOfWord, free = stride.width * kBytesOfWord;
  for (const AccessTrace* access : same) {
    if ((length + free) % access->bytes != 0)
      return {Padding::Effect::misaligns, access->line.line, access->bytes};
  }
  // Where the array begins is not known: one start without harm is enough.
  Padding harm;
  const std::uint64_t starts = std::min(stride.words, kMaxStarts);
  for (std::uint64_t start = 0; start < starts; ++start) {
    const std::uint64_t first = stride.words / starts * start * kBytesOfWord;
    const auto harmed = std::ranges::find_if(same, [&](const AccessTrace* access) {
      return passes_in(*access, {length, free, first}) > passes_in(*access, {length, 0, first});
    });
    if (harmed == same.end()) return {};
    if (start == 0) harm = {Padding::Effect::harms, (*harmed)->line.line, (*harmed)->bytes};
  }
  return harm;
}

}  // namespace lockstep::emulator
