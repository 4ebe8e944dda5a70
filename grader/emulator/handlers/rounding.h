// Floating-point values rounded to integral ones, and brought into an integer type.
// Included by the files of this folder only.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "emulator/handlers/names.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

template <class T>
inline T to_integral(T value, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(value);
    case Rounding::zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    case Rounding::away:
      return std::round(value);
  }
  return value;
}

/// NaN becomes 0, or, where either type has 64 bits, the integer of which only the highest bit is set. PTX
/// ISA 9.7.9, cvt. `Source` is the type that the instruction names, of which `value` is an image.
template <class To, class Source, class From>
inline To saturating(From value) {
  // The limits as From: the upper one rounds up to a power of two for wide integers, hence >=.
  constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From kHigh = static_cast<From>(std::numeric_limits<To>::max());
  if (value != value) {
    constexpr bool kWide = sizeof(To) == 8 || std::is_same_v<Source, double>;
    return kWide ? static_cast<To>(std::make_unsigned_t<To>{1} << (8 * sizeof(To) - 1)) : To{0};
  }
  if (value <= kLow) return std::numeric_limits<To>::min();
  if (value >= kHigh) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
