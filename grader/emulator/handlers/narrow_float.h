// Floating-point formats that the processor does not compute with: f16, bf16, tf32 and those of 8, 6 and 4
// bits.
//
// Values of f16 and bf16 are floats exactly. Their sum in float, rounded again, is the sum rounded once, for
// float has more than twice their digits and two more; other results are first rounded to odd, which keeps
// what the last rounding needs. round_exactly() serves conversions, in every direction and from every type.
// Included by the files of this folder only.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/handlers/float_values.h"
#include "emulator/handlers/names.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

/// Sign, then `exponent_bits`, then `fraction_bits`.
struct Format {
  unsigned exponent_bits, fraction_bits;
  bool has_infinity;   ///< else the greatest exponent holds numbers too, and one NaN
  std::uint32_t nan;   ///< canonical; what NaN becomes in a format that has none
  unsigned shift = 0;  ///< unused low bits of the word that holds it
  bool has_nan = true;

  constexpr unsigned sign_shift() const { return exponent_bits + fraction_bits; }
  /// First code after the numbers.
  constexpr std::uint32_t infinity() const {
    return has_infinity ? ((1U << exponent_bits) - 1) << fraction_bits
                        : (1U << sign_shift()) - (has_nan ? 1 : 0);
  }
  constexpr int least_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
};

/// float(x) rounded to odd: when x is no float, the neighbour whose last bit is 1.
inline float round_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const double error = x - static_cast<double>(nearest);  // exact; NaN for infinities
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool inexact = error > 0 || error < 0;
  const std::uint32_t step = (error < 0) == std::signbit(nearest) ? 1 : ~0U;
  return std::bit_cast<float>(inexact && (bits & 1) == 0 ? bits + step : bits);
}

/// a + b rounded to odd, where nothing overflows.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);  // exact; NaN for infinities
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool inexact = error > 0 || error < 0;
  const std::uint64_t step = (error < 0) == std::signbit(sum) ? 1 : ~std::uint64_t{0};
  return std::bit_cast<double>(inexact && (bits & 1) == 0 ? bits + step : bits);
}

struct Half {
  static constexpr Format kFormat{5, 10, true, 0x7FFF};
  static constexpr std::uint32_t kOne = 0x3C00;
  /// What is less rounds, with all bits of the fraction, to less than the least normal number.
  static constexpr float kFlushBorder = 0x1p-14F - 0x1p-26F;

  static float value(std::uint32_t code) {
    const std::uint32_t sign = (code & 0x8000) << 16, rest = code & 0x7FFF;
    // As a float of the same fields it is 2^112 times too small, subnormals too.
    const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest << 13) * 0x1p112F);
    const std::uint32_t finite_or_infinite = sign | (rest == 0x7C00 ? 0x7F80'0000 : scaled);
    return std::bit_cast<float>(rest > 0x7C00 ? kCanonicalNan : finite_or_infinite);
  }
  /// Rounded to the nearest, ties to even.
  static std::uint32_t nearest(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude = bits & 0x7FFF'FFFF;
    const std::uint32_t normal = ((magnitude + 0xFFF + (magnitude >> 13 & 1)) >> 13) - (112U << 10);
    // Next to 0.5 a float's last bit weighs 2^-24, as that of a subnormal of this format: the sum rounds.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F00'0000;
    std::uint32_t code = magnitude < 0x3880'0000 ? subnormal : normal;
    code = magnitude >= 0x477F'F000 ? 0x7C00 : code;  // 65520 and more
    return magnitude > 0x7F80'0000 ? kFormat.nan : code | (bits >> 16 & 0x8000);
  }
  /// Products have 22 bits and no exponent that a float lacks.
  static float multiply(float a, float b) { return a * b; }
};

struct Bfloat16 {
  static constexpr Format kFormat{8, 7, true, 0x7FFF};
  static constexpr std::uint32_t kOne = 0x3F80;
  static constexpr float kFlushBorder = 0x1p-126F - 0x1p-135F;

  static float value(std::uint32_t code) { return canonical(std::bit_cast<float>(code << 16)); }
  static std::uint32_t nearest(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return x == x ? (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 : kFormat.nan;
  }
  static float multiply(float a, float b) {
    return round_to_odd(static_cast<double>(a) * static_cast<double>(b));
  }
};

template <class F>
constexpr std::uint32_t kSignBit = 1U << F::kFormat.sign_shift();

template <class F>
inline std::uint32_t flushed_code(std::uint32_t code) {
  return (code & F::kFormat.infinity()) == 0 ? code & kSignBit<F> : code;
}

/// A number as an integer and a power of two, which all types' values are.
struct ExactNumber {
  bool negative = false, infinite = false, nan = false;
  std::uint64_t magnitude = 0;
  int exponent = 0;
};

inline ExactNumber exact(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & 0xF'FFFF'FFFF'FFFF;
  ExactNumber number;
  number.negative = bits >> 63 != 0;
  number.nan = field == 0x7FF && fraction != 0;
  number.infinite = field == 0x7FF && fraction == 0;
  number.magnitude = field == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  number.exponent = (field == 0 ? 1 : field) - 1075;
  return number;
}

template <class T>
inline ExactNumber exact_integer(T x) {
  ExactNumber number;
  number.negative = x < 0;
  number.magnitude =
      number.negative ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  return number;
}

/// Whether a magnitude is rounded up, of which `rest` in units of `half` is cut off.
inline bool rounds_up(Rounding rounding, bool negative, bool odd, bool above_half, bool at_half, bool exact) {
  switch (rounding) {
    case Rounding::nearest:
      return above_half || (at_half && odd);
    case Rounding::away:
      return above_half || at_half;
    case Rounding::zero:
      return false;
    case Rounding::down:
      return negative && !exact;
    case Rounding::up:
      return !negative && !exact;
  }
  return false;
}

/// The code of `number` in `format`. `finite` gives the largest number where the result would be infinite.
inline std::uint32_t round_exactly(const Format& format, const ExactNumber& number, Rounding rounding,
                                   bool finite) {
  if (number.nan) return format.nan << format.shift;
  const std::uint32_t sign = number.negative ? 1U << format.sign_shift() : 0;
  const std::uint32_t infinity = format.has_infinity ? format.infinity() : format.nan;
  const std::uint32_t overflow = finite ? format.infinity() - 1 : infinity;
  if (number.infinite) return (sign | overflow) << format.shift;
  if (number.magnitude == 0) return sign << format.shift;

  const int leading = 63 - std::countl_zero(number.magnitude) + number.exponent;
  const int exponent = leading < format.least_exponent() ? format.least_exponent() : leading;
  const int cut = exponent - static_cast<int>(format.fraction_bits) - number.exponent;
  std::uint64_t kept = 0;
  bool up = false;
  if (cut <= 0) {
    kept = number.magnitude << -cut;
  } else if (cut > 64) {
    up = rounds_up(rounding, number.negative, false, false, false, false);
  } else {
    kept = cut == 64 ? 0 : number.magnitude >> cut;
    const std::uint64_t half = std::uint64_t{1} << (cut - 1);
    const std::uint64_t rest = cut == 64 ? number.magnitude : number.magnitude & (2 * half - 1);
    up = rounds_up(rounding, number.negative, (kept & 1) != 0, rest > half, rest == half, rest == 0);
  }
  // The leading bit of a normal number counts one into the exponent, as does a carry.
  const std::uint64_t code =
      (static_cast<std::uint64_t>(exponent - format.least_exponent()) << format.fraction_bits) + kept +
      (up ? 1 : 0);
  if (code < format.infinity()) return (sign | static_cast<std::uint32_t>(code)) << format.shift;
  const bool stays = rounding == Rounding::zero || (rounding == Rounding::down && !number.negative) ||
                     (rounding == Rounding::up && number.negative);
  return (sign | (stays ? format.infinity() - 1 : overflow)) << format.shift;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
