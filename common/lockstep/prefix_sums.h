// Inputs for exercises about prefix sums, and the sums themselves, one after the other on the host.
//
// No run of consecutive elements of these inputs adds up to more than an int holds, so that sums may be
// formed in any order: n * limit is at most 2^31 - 1, and a walk never leaves its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lockstep/random.h"

namespace lockstep {

/// Numbers of both signs from -limit to limit, none of them 0: each element changes every sum after it.
inline std::vector<int> signed_integers(std::size_t n, Random& random, int limit = 99) {
  std::vector<int> values(n);
  for (int& value : values) value = random.integer(1, limit) * (random.integer(0, 1) == 0 ? 1 : -1);
  return values;
}

/// Likewise, of a random word.
constexpr int signed_integer(std::uint32_t word) {
  constexpr std::uint64_t kLimit = 99;
  const int magnitude = static_cast<int>(1 + ((word >> 1) * kLimit >> 31));
  return word % 2 == 0 ? magnitude : -magnitude;
}

/// Many of them, in half of the time that signed_integers() takes.
inline std::vector<int> signed_integers_of_words(std::size_t n, Random& random) {
  std::vector<int> values(n);
  for (int& value : values) value = signed_integer(random.word());
  return values;
}

/// The steps of a walk from 0 to between 2^30 and 2^31 - 1, where it stays: every sum from the start needs
/// all the digits of an int, which neither a float nor a word that keeps some bits for other things has.
inline std::vector<int> steps_of_a_wide_walk(std::size_t n, Random& random) {
  std::vector<int> values(n);
  int position = 0;
  for (int& value : values) {
    const int next = random.integer(1 << 30, std::numeric_limits<int>::max());
    value = next - position;
    position = next;
  }
  return values;
}

/// The sum as a GPU forms it: what lies above 32 bits is lost.
inline int wrapping_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}

/// The sum of all elements before each.
inline std::vector<int> exclusive_sums(std::span<const int> values) {
  std::vector<int> sums;
  sums.reserve(values.size());
  std::int64_t sum = 0;
  for (const int value : values) {
    sums.push_back(static_cast<int>(sum));
    sum += value;
  }
  return sums;
}

/// The sum of all elements up to and including each.
inline std::vector<int> inclusive_sums(std::span<const int> values) {
  std::vector<int> sums;
  sums.reserve(values.size());
  std::int64_t sum = 0;
  for (const int value : values) {
    sum += value;
    sums.push_back(static_cast<int>(sum));
  }
  return sums;
}

/// The exclusive sums of each piece of `length` elements by itself; the last piece may be shorter.
inline std::vector<int> exclusive_sums_of_pieces(std::span<const int> values, std::size_t length) {
  std::vector<int> sums;
  sums.reserve(values.size());
  for (std::size_t first = 0; first < values.size(); first += length) {
    const std::size_t count = length < values.size() - first ? length : values.size() - first;
    const std::vector<int> piece = exclusive_sums(values.subspan(first, count));
    sums.insert(sums.end(), piece.begin(), piece.end());
  }
  return sums;
}

}  // namespace lockstep
