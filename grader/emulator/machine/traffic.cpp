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

/// Whether the values are certainly all different: in rising order, or apart modulo 64.
template <class T>
bool surely_distinct(const T* values, unsigned n) {
  bool rising = true;
  std::uint64_t seen = 0;
  for (unsigned i = 0; i < n; ++i) {
    rising &= i == 0 || values[i] > values[i - 1];
    seen |= std::uint64_t{1} << (values[i] % 64);
  }
  return rising || static_cast<unsigned>(std::popcount(seen)) == n;
}

/// Removes repeated values, keeping order; returns how many are left.
template <class T>
unsigned remove_repeats(T* values, unsigned n) {
  if (surely_distinct(values, n)) return n;
  unsigned kept = 0;
  for (unsigned i = 0; i < n; ++i) {
    unsigned seen = 0;
    for (unsigned k = 0; k < kept; ++k) seen |= values[k] == values[i] ? 1U : 0U;
    values[kept] = values[i];
    kept += 1 - seen;
  }
  return kept;
}

/// Most values in one class modulo `classes`, a power of two up to 32.
unsigned fullest_class(const std::uint32_t* values, unsigned n, unsigned classes) {
  std::array<std::uint8_t, kBanks> in_class{};
  unsigned most = 0;
  for (unsigned i = 0; i < n; ++i) most = std::max<unsigned>(most, ++in_class[values[i] & (classes - 1)]);
  return most;
}

/// Wavefronts of the lanes that are served together.
Units group_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width) {
  if (active == 0) return {};
  // Lanes that touch the same slot of 4, 8 or 16 bytes share it, and a slot's words fill neighbouring banks
  // alike.
  const unsigned bytes = std::max(width, 4U);
  std::array<std::uint32_t, kLanes> slots;
  unsigned n = pack(offsets, active, static_cast<unsigned>(std::countr_zero(bytes)), slots.data());
  const unsigned classes = kBanks * 4 / bytes;
  std::uint32_t seen = 0;
  for (unsigned i = 0; i < n; ++i) seen |= 1U << (slots[i] & (classes - 1));
  if (static_cast<unsigned>(std::popcount(seen)) == n) return {1, 1};
  n = remove_repeats(slots.data(), n);
  return {fullest_class(slots.data(), n, classes), (n + classes - 1) / classes};
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
  for (unsigned i = 0; i < n; ++i)
    most = std::max<unsigned>(most, ++in_bank[words[i] * (width / 4) % kBanks]);
  return {most, (n * (width / 4) + kBanks - 1) / kBanks};
}

}  // namespace lockstep::emulator
