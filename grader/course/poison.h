// What outputs and workspaces hold before a call: a pattern by which the judge knows what was never written.
#pragma once

#include <array>
#include <bit>
#include <cstddef>

namespace lockstep::course {

/// The byte that fills them. Four of them make -842150451 as an int and -4.3e8 as a float: values that no
/// case expects.
inline constexpr std::byte kPoisonByte{0xCD};

/// What an element holds that was never written.
template <class T>
constexpr T never_written() {
  std::array<std::byte, sizeof(T)> bytes{};
  bytes.fill(kPoisonByte);
  return std::bit_cast<T>(bytes);
}

}  // namespace lockstep::course
