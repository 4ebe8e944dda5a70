// cvt between integers and floating point, and mov that packs and unpacks. PTX ISA 9.7.9.
//
// Conversions to integers saturate and turn NaN into 0, as hardware does; narrowing between integers cuts.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulator/machine/handlers/lanes.h"
#include "emulator/machine/handlers/tables.h"

namespace lockstep::emulator::LOCKSTEP_LEVEL {
namespace {

template <class T>
T to_integral(T value, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(value);
    case Rounding::zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
  }
  return value;
}

template <class To, class From>
To saturating(From value) {
  // The limits as From: the upper one rounds up to a power of two for wide integers, hence >=.
  constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From kHigh = static_cast<From>(std::numeric_limits<To>::max());
  if (value != value) return 0;
  if (value <= kLow) return std::numeric_limits<To>::min();
  if (value >= kHigh) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <class To, class From, Rounding rounding>
void float_to_integer(Warp& warp, const Instruction& i, Mask active) {
  const From* a = row<From>(warp, i.a);
  for_lanes<To>(row<Stored<To>>(warp, i.destination), active,
                [=](unsigned l) { return saturating<To>(to_integral(a[l], rounding)); });
}
template <class To, class From>
Handler float_to_integer_handler(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return float_to_integer<To, From, Rounding::nearest>;
    case Rounding::zero:
      return float_to_integer<To, From, Rounding::zero>;
    case Rounding::down:
      return float_to_integer<To, From, Rounding::down>;
    case Rounding::up:
      return float_to_integer<To, From, Rounding::up>;
  }
  return nullptr;
}

template <class To, class From>
[[gnu::noinline]] void cast_lanes(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<From>>(warp, i.a);
  for_lanes<To>(row<Stored<To>>(warp, i.destination), active,
                [=](unsigned l) { return static_cast<To>(lane_value<From>(a, l)); });
}
/// With a direction of rounding; the loop is a function of its own, so nothing moves past the mode.
template <class To, class From, int mode>
void cast_rounded(Warp& warp, const Instruction& i, Mask active) {
  const int saved = std::fegetround();
  std::fesetround(mode);
  cast_lanes<To, From>(warp, i, active);
  std::fesetround(saved);
}
template <class To, class From>
Handler cast_handler(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return cast_lanes<To, From>;
    case Rounding::zero:
      return cast_rounded<To, From, FE_TOWARDZERO>;
    case Rounding::down:
      return cast_rounded<To, From, FE_DOWNWARD>;
    case Rounding::up:
      return cast_rounded<To, From, FE_UPWARD>;
  }
  return nullptr;
}

template <class To, class From>
void integer_saturating(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<From>>(warp, i.a);
  for_lanes<To>(row<Stored<To>>(warp, i.destination), active, [=](unsigned l) {
    __extension__ using Wide = __int128;
    const auto value = static_cast<Wide>(lane_value<From>(a, l));
    if (value < std::numeric_limits<To>::min()) return std::numeric_limits<To>::min();
    if (value > std::numeric_limits<To>::max()) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  });
}

template <class T, Rounding rounding>
void round_lanes(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  for_lanes<T>(row<T>(warp, i.destination), active, [=](unsigned l) { return to_integral(a[l], rounding); });
}
template <class T>
void saturate_lanes(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  for_lanes<T>(row<T>(warp, i.destination), active,
               [=](unsigned l) { return a[l] > T{0} ? (a[l] < T{1} ? a[l] : T{1}) : T{0}; });
}
template <class T>
Handler round_handler(const Variant& variant) {
  if (!variant.integral) return variant.saturate ? saturate_lanes<T> : cast_lanes<T, T>;
  switch (variant.rounding) {
    case Rounding::nearest:
      return round_lanes<T, Rounding::nearest>;
    case Rounding::zero:
      return round_lanes<T, Rounding::zero>;
    case Rounding::down:
      return round_lanes<T, Rounding::down>;
    case Rounding::up:
      return round_lanes<T, Rounding::up>;
  }
  return nullptr;
}

template <class T>
struct Tag {
  using type = T;
};

/// Calls f with the tag of an arithmetic type; null for types that it does not know.
template <class F>
Handler with_type(ptx::Type type, F f) {
  using ptx::Type;
  switch (type) {
    case Type::u8:
    case Type::b8:
      return f(Tag<std::uint8_t>{});
    case Type::s8:
      return f(Tag<std::int8_t>{});
    case Type::u16:
    case Type::b16:
      return f(Tag<std::uint16_t>{});
    case Type::s16:
      return f(Tag<std::int16_t>{});
    case Type::u32:
    case Type::b32:
      return f(Tag<std::uint32_t>{});
    case Type::s32:
      return f(Tag<std::int32_t>{});
    case Type::u64:
    case Type::b64:
      return f(Tag<std::uint64_t>{});
    case Type::s64:
      return f(Tag<std::int64_t>{});
    case Type::f32:
      return f(Tag<float>{});
    case Type::f64:
      return f(Tag<double>{});
    default:
      return nullptr;
  }
}

template <class To, class From>
Handler conversion_of(const Variant& variant) {
  constexpr bool kFromFloat = std::is_floating_point_v<From>, kToFloat = std::is_floating_point_v<To>;
  if constexpr (kFromFloat && kToFloat) {
    if constexpr (std::is_same_v<From, To>) return round_handler<To>(variant);
    return variant.saturate ? nullptr : cast_handler<To, From>(variant.rounding);
  } else if constexpr (kFromFloat) {
    return float_to_integer_handler<To, From>(variant.rounding);
  } else if constexpr (kToFloat) {
    return variant.saturate ? nullptr : cast_handler<To, From>(variant.rounding);
  } else {
    return variant.saturate ? integer_saturating<To, From> : cast_lanes<To, From>;
  }
}

}  // namespace

Handler conversion_handler(ptx::Type to, const Variant& variant) {
  return with_type(to, [&](auto to_tag) {
    return with_type(variant.source, [&](auto from_tag) {
      return conversion_of<typename decltype(to_tag)::type, typename decltype(from_tag)::type>(variant);
    });
  });
}

// mov.b64 %rd, {%r1, %r2} and mov.b32 %r, {%h1, %h2}: `width` is the bytes of one narrow element.
void pack_handler(Warp& warp, const Instruction& i, Mask active) {
  const unsigned bits = 8U * i.width;
  const unsigned parts = i.detail;
  if (bits * parts > 32) {
    for_lanes<std::uint64_t>(row<std::uint64_t>(warp, i.destination), active, [&](unsigned l) {
      std::uint64_t value = 0;
      for (unsigned part = 0; part < parts; ++part) {
        const std::uint64_t element = row<std::uint32_t>(warp, i.vector[part])[l];
        value |= (bits == 32 ? element : element & ((std::uint64_t{1} << bits) - 1)) << (bits * part);
      }
      return value;
    });
  } else {
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [&](unsigned l) {
      std::uint32_t value = 0;
      for (unsigned part = 0; part < parts; ++part) {
        value |= (row<std::uint32_t>(warp, i.vector[part])[l] & ((1U << bits) - 1)) << (bits * part);
      }
      return value;
    });
  }
}

void unpack_handler(Warp& warp, const Instruction& i, Mask active) {
  const unsigned bits = 8U * i.width;
  const unsigned parts = i.detail;
  std::uint64_t values[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    values[lane] =
        bits * parts > 32 ? row<std::uint64_t>(warp, i.a)[lane] : row<std::uint32_t>(warp, i.a)[lane];
  }
  const auto kept = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  for (unsigned part = 0; part < parts; ++part) {
    if (i.vector[part] == kNoSlot) continue;
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.vector[part]), active, [&](unsigned l) {
      return static_cast<std::uint32_t>(values[l] >> (bits * part)) & kept;
    });
  }
}

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
