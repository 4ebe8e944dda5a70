// A stable sort by 32-bit numbers in linear time, for expected outputs of long arrays and many rows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::course {

/// Sorts fewer than 2^32 elements by `number_of(element)`, which is 32 bits long, in passes over digits of
/// kBits bits, the lowest first. Elements are dealt out one after the other, so those of equal numbers stay
/// in order.
template <unsigned kBits, class T, class NumberOf>
void sort_by_digits(std::vector<T>& elements, NumberOf number_of) {
  constexpr std::uint32_t kDigits = 1U << kBits;
  static_assert(32 % kBits == 0);
  std::vector<T> moved(elements.size());
  for (unsigned shift = 0; shift < 32; shift += kBits) {
    const auto digit_of = [&](const T& one) { return number_of(one) >> shift & (kDigits - 1); };
    std::vector<std::uint32_t> places(kDigits);
    for (const T& one : elements) ++places[digit_of(one)];
    std::uint32_t before = 0;
    for (std::uint32_t& place : places) before += std::exchange(place, before);
    for (const T& one : elements) moved[places[digit_of(one)]++] = one;
    std::swap(elements, moved);
  }
}

}  // namespace lockstep::course
