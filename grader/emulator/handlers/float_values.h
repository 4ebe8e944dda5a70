// What PTX makes of floating-point values besides IEEE: its NaN, and .ftz. PTX ISA 9.7.3.
//
// Written on the bits, so that loops over lanes become vector code and the processor's own modes do not
// matter. Included by the files of this folder only.
#pragma once

#include <bit>
#include <cstdint>

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

inline constexpr std::uint32_t kCanonicalNan = 0x7FFF'FFFF;

/// Operations on f32 return one NaN whatever their operands were; those on f64 keep an operand's sign and
/// payload.
inline float canonical(float value) { return value == value ? value : std::bit_cast<float>(kCanonicalNan); }
inline double canonical(double value) { return value; }

inline double quiet(double nan) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | 0x0008'0000'0000'0000);
}

/// The result of an operation on these operands: of several that are NaN, an H200 keeps the second, then the
/// third, then the first. That of an invalid operation stays as it is.
inline float with_nan_of(float result, float, float) { return canonical(result); }
inline float with_nan_of(float result, float, float, float) { return canonical(result); }
inline double with_nan_of(double result, double a, double b) {
  return b != b ? quiet(b) : a != a ? quiet(a) : result;
}
inline double with_nan_of(double result, double a, double b, double c) {
  return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : result;
}

/// .ftz: a subnormal becomes the zero of its sign.
inline float flushed(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7F80'0000) == 0 ? bits & 0x8000'0000 : bits);
}
inline double flushed(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<double>((bits & 0x7FF0'0000'0000'0000) == 0 ? bits & 0x8000'0000'0000'0000 : bits);
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
