// Elements of matrices that tensor cores read and write, as floats and back, besides those of narrow_float.h;
// written without branches, so that loops over them become vector code. All widenings are exact. PTX
// ISA 5.2.3.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/handlers/narrow_float.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

inline float f16_to_f32(std::uint16_t code) { return Half::value(code); }
inline float bf16_to_f32(std::uint16_t code) { return Bfloat16::value(code); }

/// The low 13 bits of a register with a tf32 are no part of it.
inline float tf32_to_f32(std::uint32_t value) { return std::bit_cast<float>(value & 0xFFFF'E000U); }

/// e5m2 is the upper half of an f16.
inline float e5m2_to_f32(std::uint8_t value) { return f16_to_f32(static_cast<std::uint16_t>(value << 8)); }

/// e4m3 has no infinity, and one NaN of each sign.
inline float e4m3_to_f32(std::uint8_t value) {
  const std::uint32_t magnitude = (value & 0x7FU) << 20;
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p120F);
  const std::uint32_t bits = (value & 0x7FU) == 0x7FU ? 0x7FFF'FFFFU : scaled;
  return std::bit_cast<float>(bits | (value & 0x80U) << 24);
}

/// Rounds once, to nearest even; NaN becomes the canonical one.
inline std::uint16_t f64_to_f16(double value) {
  constexpr double kOverflow = 65520;  // and above: infinity
  // Adding and taking away 2^52 quanta of the result rounds to a multiple of its quantum.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  double power = std::bit_cast<double>(bits & 0x7FF0'0000'0000'0000U);
  power = power > 0x1p-14 ? power : 0x1p-14;
  const double shift = power * 0x1.8p42;
  const double magnitude = std::bit_cast<double>(bits & 0x7FFF'FFFF'FFFF'FFFFU);
  const double rounded = (magnitude + shift) - shift;
  const auto scaled = std::bit_cast<std::uint32_t>(static_cast<float>(rounded) * 0x1p-112F);
  const std::uint32_t finite = magnitude < kOverflow ? scaled >> 13 : 0x7C00U;
  const std::uint32_t half =
      value == value ? finite | static_cast<std::uint32_t>(bits >> 48 & 0x8000U) : 0x7FFFU;
  return static_cast<std::uint16_t>(half);
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
