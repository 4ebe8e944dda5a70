// Numbers that a hostile program would choose, and how the fuzzers read them from their input.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cstdint>

namespace lockstep::emulator {

/// Any number of 64 bits; mostly a small one, or one near a power of two.
inline std::uint64_t hostile_number(FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange<unsigned>(0, 7)) {
    case 0:
      return input.ConsumeIntegral<std::uint64_t>();
    case 1:
    case 2:
    case 3:
      return input.ConsumeIntegralInRange<std::uint64_t>(0, 70);
    case 4: {
      static constexpr std::array<unsigned, 4> kPowers = {31, 32, 62, 63};
      return (std::uint64_t{1} << input.PickValueInArray(kPowers)) +
             input.ConsumeIntegralInRange<std::uint64_t>(0, 16) - 8;
    }
    case 5:
      return 0 - input.ConsumeIntegralInRange<std::uint64_t>(0, 4096);
    default:
      return (std::uint64_t{1} << input.ConsumeIntegralInRange<unsigned>(0, 63)) +
             input.ConsumeIntegralInRange<std::uint64_t>(0, 16) - 8;
  }
}

inline std::uint32_t hostile_number_32(FuzzedDataProvider& input) {
  return static_cast<std::uint32_t>(hostile_number(input));
}

}  // namespace lockstep::emulator
