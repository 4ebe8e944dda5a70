// What PTX makes of floating-point values besides IEEE: its NaN, and .ftz. PTX ISA 9.7.3.
//
// Written on the bits, so that loops over lanes become vector code and the processor's own modes do not
// matter. Included by the files of this folder only.
#pragma once

#include <bit>
#include <cstdint>

namespace lockstep::emulator::LOCKSTEP_LEVEL {

inline constexpr std::uint32_t kCanonicalNan = 0x7FFF'FFFF;

/// Operations on f32 return one NaN whatever their operands were; those on f64 keep an operand's payload, as
/// the processor does.
inline float canonical(float value) { return value == value ? value : std::bit_cast<float>(kCanonicalNan); }
inline double canonical(double value) { return value; }

/// .ftz: a subnormal becomes the zero of its sign.
inline float flushed(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7F80'0000) == 0 ? bits & 0x8000'0000 : bits);
}
inline double flushed(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<double>((bits & 0x7FF0'0000'0000'0000) == 0 ? bits & 0x8000'0000'0000'0000 : bits);
}

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
