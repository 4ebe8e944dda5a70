// What a random word is made into: an element of an input, on the host and in the judge's kernels.
#pragma once

#include <bit>
#include <cstdint>

#include "lockstep/prefix_sums.h"

namespace lockstep::course {

/// Of any bits: some are infinities, or numbers too small to be normal, and none is NaN.
constexpr float any_float(std::uint32_t bits) {
  constexpr std::uint32_t kSign = 0x8000'0000, kInfinity = 0x7F80'0000;
  bits &= bits % 8 == 0 ? ~kInfinity : ~0U;
  return std::bit_cast<float>((bits & ~kSign) > kInfinity ? (bits & kSign) | kInfinity : bits);
}

/// Whose lowest bit is a flag, 1 for one in `distance` of them, a power of two; 0: for none. The other bits
/// are 0 for half of them.
constexpr std::uint8_t byte_with_flag(std::uint32_t word, std::uint32_t distance) {
  const bool has_flag = distance != 0 && (word & (distance - 1)) == 0;
  const std::uint32_t others = word >> 31 == 0 ? 0 : word >> 16 & 0x7f;
  return static_cast<std::uint8_t>(2 * others + (has_flag ? 1 : 0));
}

/// A multiple of 2^-17 from 2^-17 to bound · 2^-17, where `bound` is 2^24 at most.
constexpr float fraction(std::uint32_t word, std::uint32_t bound) {
  const auto numerator = static_cast<std::int32_t>(1 + (word * std::uint64_t{bound} >> 32));
  return static_cast<float>(numerator) * 0x1p-17F;
}

enum class WordMap : std::uint32_t { word, any_float, signed_integer, byte_with_flag, fraction };

/// `parameter` is that of the map's function.
template <WordMap map>
constexpr auto element_of(std::uint32_t word, [[maybe_unused]] std::uint32_t parameter) {
  if constexpr (map == WordMap::any_float) {
    return any_float(word);
  } else if constexpr (map == WordMap::signed_integer) {
    return signed_integer(word);
  } else if constexpr (map == WordMap::byte_with_flag) {
    return byte_with_flag(word, parameter);
  } else if constexpr (map == WordMap::fraction) {
    return fraction(word, parameter);
  } else {
    return word;
  }
}

}  // namespace lockstep::course
