// Sizes and offsets rounded up to a multiple.
#pragma once

#include <cstdint>

namespace lockstep::emulator {

/// `multiple` is no 0, and their sum fits into 64 bits: whoever takes either from a stranger bounds it first.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace lockstep::emulator
