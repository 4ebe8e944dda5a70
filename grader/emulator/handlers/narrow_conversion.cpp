// cvt to and from f16, bf16, tf32 and the floats of 8, 6 and 4 bits. PTX ISA 9.7.9.21.
//
// The ways that programs take most (f16 and bf16 to f32 and back, to the nearest) are vector code; every
// other one goes by way of an exact number. detail: narrow:: flags and the rounding.
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/narrow_float.h"
#include "emulator/handlers/rounding.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

/// In the upper bits of a .b32 register, as a float.
struct Tf32 {
  static constexpr Format kFormat{8, 10, true, 0x3'FFFF, 13};
};
struct E4m3 {
  static constexpr Format kFormat{4, 3, false, 0x7F};
};
struct E5m2 {
  static constexpr Format kFormat{5, 2, true, 0x7F};
};
// These hold numbers only: infinity and NaN become the largest of them.
struct E2m1 {
  static constexpr Format kFormat{2, 1, false, 0x7, 0, false};
};
struct E2m3 {
  static constexpr Format kFormat{2, 3, false, 0x1F, 0, false};
};
struct E3m2 {
  static constexpr Format kFormat{3, 2, false, 0x1F, 0, false};
};

/// Of the word that holds two of them.
template <class F>
constexpr unsigned kBitsInPair = std::bit_ceil(F::kFormat.sign_shift() + 1);

Rounding rounding_of(const Instruction& i) {
  return static_cast<Rounding>(i.detail >> narrow::kRoundingShift & 7);
}

/// .sat and .relu are clamps that rounding leaves where they are, so they come first.
ExactNumber clamped(ExactNumber number, std::uint16_t flags) {
  const bool negative = number.negative && !number.nan;
  if ((flags & (narrow::kSaturate | narrow::kRectify)) == 0) return number;
  if (negative || ((flags & narrow::kSaturate) != 0 && number.nan)) return {};
  if ((flags & narrow::kSaturate) == 0) return number;
  const bool above_one = number.infinite || (number.magnitude != 0 &&
                                             63 - std::countl_zero(number.magnitude) + number.exponent >= 0);
  return above_one ? ExactNumber{.magnitude = 1} : number;
}

template <class F>
std::uint32_t narrowed(ExactNumber number, const Instruction& i) {
  return round_exactly(F::kFormat, clamped(number, i.detail), rounding_of(i),
                       (i.detail & narrow::kFinite) != 0);
}

/// The number that lane l of a row holds. From is an arithmetic type, Half or Bfloat16.
template <class From>
auto read_value(const Warp& warp, const Instruction& i, Slot slot) {
  if constexpr (std::is_integral_v<From>) {
    return [=, values = row<Stored<From>>(warp, slot)](unsigned l) { return lane_value<From>(values, l); };
  } else if constexpr (std::is_same_v<From, float>) {
    const bool flush = (i.detail & narrow::kFlush) != 0;
    return
        [=, values = row<float>(warp, slot)](unsigned l) { return flush ? flushed(values[l]) : values[l]; };
  } else if constexpr (std::is_same_v<From, double>) {
    return [values = row<double>(warp, slot)](unsigned l) { return values[l]; };
  } else {
    return [values = row<std::uint32_t>(warp, slot)](unsigned l) { return From::value(values[l] & 0xFFFF); };
  }
}

/// f16 as f64 keeps the payload of a NaN, and bf16 as f32 is the same bits with zeros behind: what other
/// conversions make canonical.
template <class To, class From>
To widened_value(std::uint32_t code, float value) {
  if constexpr (std::is_same_v<From, Bfloat16> && std::is_same_v<To, float>)
    return std::bit_cast<float>(code << 16);
  const auto wide = static_cast<To>(value);
  if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, double>) {
    const std::uint64_t sign = code >> 15 & 1, payload = code & 0x1FF;
    if (value != value) return std::bit_cast<double>(sign << 63 | 0x7FF8'0000'0000'0000 | payload << 42);
  }
  return wide;
}

template <class T>
ExactNumber exact_value(T value) {
  if constexpr (std::is_integral_v<T>) {
    return exact_integer(value);
  } else {
    return exact(static_cast<double>(value));
  }
}

template <class To, class From>
void convert_lanes(Warp& warp, const Instruction& i, Mask active) {
  const auto value = read_value<From>(warp, i, i.a);
  auto* d = row<std::uint32_t>(warp, i.destination);
  if constexpr (std::is_same_v<From, float> && !std::is_same_v<To, Tf32>) {
    if (i.detail == 0)
      return for_lanes<std::uint32_t>(d, active, [=](unsigned l) { return To::nearest(value(l)); });
  }
  for (unsigned l = 0; l < kLanes; ++l) {
    if ((active >> l & 1) == 0) continue;
    const auto source = value(l);
    d[l] = narrowed<To>(exact_value(source), i);
    // Where hardware keeps bits of a NaN: .rna cuts it off, and f16 takes the sign and the first bits of f64.
    if constexpr (std::is_same_v<To, Tf32> && std::is_same_v<From, float>) {
      if (source != source && rounding_of(i) == Rounding::away)
        d[l] = std::bit_cast<std::uint32_t>(source) & 0xFFFF'E000;
    }
    if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, double>) {
      const auto bits = std::bit_cast<std::uint64_t>(source);
      if (source != source && (i.detail & narrow::kSaturate) == 0)
        d[l] = static_cast<std::uint32_t>((bits >> 48 & 0x8000) | 0x7E00 | (bits >> 42 & 0x1FF));
    }
  }
}

/// Two floats to one lane: a is the upper one.
template <class To>
void convert_pairs(Warp& warp, const Instruction& i, Mask active) {
  constexpr unsigned kBits = kBitsInPair<To>;
  const auto upper = read_value<float>(warp, i, i.a), lower = read_value<float>(warp, i, i.b);
  auto* d = row<std::uint32_t>(warp, i.destination);
  if constexpr (kBits == 16) {
    if (i.detail == 0) {
      return for_lanes<std::uint32_t>(
          d, active, [=](unsigned l) { return To::nearest(upper(l)) << 16 | To::nearest(lower(l)); });
    }
  }
  for (unsigned l = 0; l < kLanes; ++l) {
    if ((active >> l & 1) == 0) continue;
    d[l] = narrowed<To>(exact_value(upper(l)), i) << kBits | narrowed<To>(exact_value(lower(l)), i);
  }
}

/// f16x2 to two 8-bit floats.
template <class To>
void narrow_pairs(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  auto* d = row<std::uint32_t>(warp, i.destination);
  for (unsigned l = 0; l < kLanes; ++l) {
    if ((active >> l & 1) == 0) continue;
    const std::uint32_t upper = narrowed<To>(exact_value(Half::value(a[l] >> 16)), i);
    d[l] = upper << 8 | narrowed<To>(exact_value(Half::value(a[l] & 0xFFFF)), i);
  }
}

/// A float of 8 bits or fewer as f16, which holds all its values.
template <class From>
std::uint32_t widened(std::uint32_t code) {
  constexpr Format kFrom = From::kFormat;
  constexpr std::uint32_t kSign = 1U << kFrom.sign_shift();
  const std::uint32_t magnitude = code & (kSign - 1);
  const std::uint32_t sign = (code & kSign) != 0 ? kSignBit<Half> : 0;
  if (!kFrom.has_infinity) {
    if (kFrom.has_nan && magnitude == kFrom.nan) return Half::kFormat.nan;
    const auto field = static_cast<int>(magnitude >> kFrom.fraction_bits);
    const std::uint32_t fraction = magnitude & ((1U << kFrom.fraction_bits) - 1);
    const std::uint64_t significand = field == 0 ? fraction : fraction | 1U << kFrom.fraction_bits;
    const int exponent =
        (field == 0 ? 1 : field) - 1 + kFrom.least_exponent() - static_cast<int>(kFrom.fraction_bits);
    return sign | round_exactly(Half::kFormat, {.magnitude = significand, .exponent = exponent},
                                Rounding::nearest, false);
  }
  // The same exponent, so the upper half of f16.
  return magnitude > kFrom.infinity() ? Half::kFormat.nan : sign | magnitude << 8;
}
template <class From>
void widen_pairs(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const bool rectify = (i.detail & narrow::kRectify) != 0;
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const auto half = [=](std::uint32_t code) {
      const std::uint32_t wide = widened<From>(code);
      return rectify && wide >= 0x8000 ? 0 : wide;
    };
    return half(a[l] >> kBitsInPair<From>) << 16 | half(a[l]);
  });
}

/// f16 or bf16 to a float or an integer that C++ has.
template <class To, class From>
void widen_lanes(Warp& warp, const Instruction& i, Mask active) {
  const auto value = read_value<From>(warp, i, i.a);
  if constexpr (std::is_integral_v<To>) {
    const Rounding rounding = rounding_of(i);
    for_lanes<To>(row<Stored<To>>(warp, i.destination), active,
                  [=](unsigned l) { return saturating<To, From>(to_integral(value(l), rounding)); });
  } else {
    const bool flush = (i.detail & narrow::kFlush) != 0, saturate = (i.detail & narrow::kSaturate) != 0;
    const auto* codes = row<std::uint32_t>(warp, i.a);
    for_lanes<To>(row<To>(warp, i.destination), active, [=](unsigned l) {
      const To wide = widened_value<To, From>(codes[l] & 0xFFFF, value(l));
      const To kept = flush ? flushed(wide) : wide;
      return saturate ? (kept > To{0} ? (kept < To{1} ? kept : To{1}) : To{0}) : kept;
    });
  }
}

/// .rni, .rzi, .rmi, .rpi within a format.
template <class F>
void round_lanes(Warp& warp, const Instruction& i, Mask active) {
  const auto value = read_value<F>(warp, i, i.a);
  const Rounding rounding = rounding_of(i);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                           [=](unsigned l) { return F::nearest(to_integral(value(l), rounding)); });
}

template <class To>
Handler narrowing_handler(const Variant& variant) {
  using ptx::Type;
  switch (variant.source) {
    case Type::u8:
      return convert_lanes<To, std::uint8_t>;
    case Type::s8:
      return convert_lanes<To, std::int8_t>;
    case Type::u16:
      return convert_lanes<To, std::uint16_t>;
    case Type::s16:
      return convert_lanes<To, std::int16_t>;
    case Type::u32:
      return convert_lanes<To, std::uint32_t>;
    case Type::s32:
      return convert_lanes<To, std::int32_t>;
    case Type::u64:
      return convert_lanes<To, std::uint64_t>;
    case Type::s64:
      return convert_lanes<To, std::int64_t>;
    case Type::f16:
      return variant.integral && std::is_same_v<To, Half> ? round_lanes<To> : convert_lanes<To, Half>;
    case Type::bf16:
      return variant.integral && std::is_same_v<To, Bfloat16> ? round_lanes<To> : convert_lanes<To, Bfloat16>;
    case Type::f32:
      return convert_lanes<To, float>;
    case Type::f64:
      return convert_lanes<To, double>;
    default:
      return nullptr;
  }
}

template <class From>
Handler widening_handler(ptx::Type to) {
  using ptx::Type;
  switch (to) {
    case Type::u8:
      return widen_lanes<std::uint8_t, From>;
    case Type::s8:
      return widen_lanes<std::int8_t, From>;
    case Type::u16:
      return widen_lanes<std::uint16_t, From>;
    case Type::s16:
      return widen_lanes<std::int16_t, From>;
    case Type::u32:
      return widen_lanes<std::uint32_t, From>;
    case Type::s32:
      return widen_lanes<std::int32_t, From>;
    case Type::u64:
      return widen_lanes<std::uint64_t, From>;
    case Type::s64:
      return widen_lanes<std::int64_t, From>;
    case Type::f32:
      return widen_lanes<float, From>;
    case Type::f64:
      return widen_lanes<double, From>;
    default:
      return nullptr;
  }
}

/// Two values of f16 from the format that a pair is of.
Handler widening_pairs_handler(ptx::Type from) {
  using ptx::Type;
  switch (from) {
    case Type::e4m3x2:
      return widen_pairs<E4m3>;
    case Type::e5m2x2:
      return widen_pairs<E5m2>;
    case Type::e2m1x2:
      return widen_pairs<E2m1>;
    case Type::e2m3x2:
      return widen_pairs<E2m3>;
    case Type::e3m2x2:
      return widen_pairs<E3m2>;
    default:
      return nullptr;
  }
}

/// To one of the 8-bit formats.
template <class To>
Handler pairing_handler(ptx::Type from) {
  return from == ptx::Type::f32 ? convert_pairs<To> : from == ptx::Type::f16x2 ? narrow_pairs<To> : nullptr;
}

}  // namespace

Handler narrow_conversion_handler(ptx::Type to, const Variant& variant) {
  using ptx::Type;
  switch (to) {
    case Type::f16:
      return narrowing_handler<Half>(variant);
    case Type::bf16:
      return narrowing_handler<Bfloat16>(variant);
    case Type::tf32:
      return variant.source == Type::f32 ? convert_lanes<Tf32, float> : nullptr;
    case Type::f16x2:
      return variant.source == Type::f32 ? convert_pairs<Half> : widening_pairs_handler(variant.source);
    case Type::bf16x2:
      return variant.source == Type::f32 ? convert_pairs<Bfloat16> : scale_conversion_handler(to, variant);
    case Type::e4m3x2:
      return pairing_handler<E4m3>(variant.source);
    case Type::e5m2x2:
      return pairing_handler<E5m2>(variant.source);
    case Type::e2m1x2:
      return variant.source == Type::f32 ? convert_pairs<E2m1> : nullptr;
    case Type::e2m3x2:
      return variant.source == Type::f32 ? convert_pairs<E2m3> : nullptr;
    case Type::e3m2x2:
      return variant.source == Type::f32 ? convert_pairs<E3m2> : nullptr;
    case Type::ue8m0x2:
      return scale_conversion_handler(to, variant);
    default:
      break;
  }
  if (variant.source == Type::f16) return widening_handler<Half>(to);
  if (variant.source == Type::bf16) return widening_handler<Bfloat16>(to);
  return nullptr;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
