#include "emulator/machine/traffic.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lockstep::emulator {
namespace {

constexpr unsigned kSectorBytes = 32;
constexpr unsigned kBanks = 32;

/// Values of the active lanes, packed to the front.
template <class T>
unsigned pack(const T* values, Mask active, unsigned shift, T* packed) {
  unsigned n = 0;
  for (; active != 0; active &= active - 1) packed[n++] = values[std::countr_zero(active)] >> shift;
  return n;
}

/// Removes repeated values, keeping order; returns how many are left.
template <class T>
unsigned remove_repeats(T* values, unsigned n) {
  bool increasing = true;
  for (unsigned i = 1; i < n; ++i) increasing &= values[i] > values[i - 1];
  if (increasing) return n;
  unsigned kept = 0;
  for (unsigned i = 0; i < n; ++i) {
    unsigned seen = 0;
    for (unsigned k = 0; k < kept; ++k) seen |= values[k] == values[i] ? 1U : 0U;
    values[kept] = values[i];
    kept += 1 - seen;
  }
  return kept;
}

/// Most distinct words in one bank. `words` is used as scratch.
unsigned fullest_bank(std::uint32_t* words, unsigned n) {
  std::uint32_t seen = 0;
  bool conflict = false;
  for (unsigned i = 0; i < n; ++i) {
    const std::uint32_t bit = 1U << (words[i] % kBanks);
    conflict |= (seen & bit) != 0;
    seen |= bit;
  }
  if (!conflict) return n == 0 ? 0 : 1;
  n = remove_repeats(words, n);
  std::array<std::uint8_t, kBanks> in_bank{};
  unsigned most = 0;
  for (unsigned i = 0; i < n; ++i) most = std::max<unsigned>(most, ++in_bank[words[i] % kBanks]);
  return most;
}

/// Wavefronts of the lanes that are served together.
Units group_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width) {
  if (active == 0) return {};
  std::array<std::uint32_t, kLanes> slots;
  unsigned n = pack(offsets, active, width >= 4 ? static_cast<unsigned>(std::countr_zero(width)) : 2U, slots.data());
  if (width <= 4) {
    const unsigned most = fullest_bank(slots.data(), n);
    if (most == 1) return {1, 1};
    return {most, 1};
  }
  // Lanes that touch the same 8- or 16-byte slot share it; the slots' words fill neighbouring banks alike.
  n = remove_repeats(slots.data(), n);
  const unsigned words = width / 4;
  std::array<std::uint8_t, kBanks> in_bank{};
  unsigned most = 0;
  for (unsigned i = 0; i < n; ++i) most = std::max<unsigned>(most, ++in_bank[slots[i] * words % kBanks]);
  return {most, (n * words + kBanks - 1) / kBanks};
}

}  // namespace

Units global_sectors(const std::uint64_t* addresses, Mask active, unsigned width) {
  std::array<std::uint64_t, 2 * kLanes> sectors;
  unsigned n = pack(addresses, active, 5, sectors.data());
  const unsigned lanes = n;
  if (width > 1) {
    unsigned k = 0;
    for (Mask left = active; left != 0; left &= left - 1, ++k) {
      const std::uint64_t last = (addresses[std::countr_zero(left)] + width - 1) / kSectorBytes;
      if (last != sectors[k]) sectors[n++] = last;
    }
  }
  n = remove_repeats(sectors.data(), n);
  const unsigned ideal = (lanes * width + kSectorBytes - 1) / kSectorBytes;
  return {n, std::min(n, ideal)};
}

Units shared_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width) {
  if (width < 16) return group_wavefronts(offsets, active, width);
  const Units low = group_wavefronts(offsets, active & 0x0000'FFFF, width);
  const Units high = group_wavefronts(offsets, active & 0xFFFF'0000, width);
  return {low.units + high.units, low.ideal + high.ideal};
}

Units shared_atomic_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width) {
  std::array<std::uint32_t, kLanes> words;
  const unsigned n = pack(offsets, active, static_cast<unsigned>(std::countr_zero(width)), words.data());
  if (std::all_of(words.begin(), words.begin() + n, [&](std::uint32_t word) { return word == words[0]; })) {
    return {n == 0 ? 0U : 1U, n == 0 ? 0U : 1U};
  }
  std::array<std::uint8_t, kBanks> in_bank{};
  unsigned most = 0;
  for (unsigned i = 0; i < n; ++i) most = std::max<unsigned>(most, ++in_bank[words[i] * (width / 4) % kBanks]);
  return {most, (n * (width / 4) + kBanks - 1) / kBanks};
}

}  // namespace lockstep::emulator
