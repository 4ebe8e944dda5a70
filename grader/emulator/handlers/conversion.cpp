// cvt between integers and floating point, and mov that packs and unpacks. PTX ISA 9.7.9.
//
// Conversions to integers saturate, as hardware does; narrowing between integers cuts.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulator/handlers/float_values.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/rounding.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

template <class To, class From, Rounding rounding, bool flush>
void float_to_integer(Warp& warp, const Instruction& i, Mask active) {
  const From* a = row<From>(warp, i.a);
  for_lanes<To>(row<Stored<To>>(warp, i.destination), active, [=](unsigned l) {
    return saturating<To, From>(to_integral(flush ? flushed(a[l]) : a[l], rounding));
  });
}
template <class To, class From>
Handler float_to_integer_handler(const Variant& variant) {
  switch (variant.rounding) {
    case Rounding::nearest:
      return float_to_integer<To, From, Rounding::nearest, false>;  // a subnormal becomes 0 in any case
    case Rounding::zero:
      return float_to_integer<To, From, Rounding::zero, false>;
    case Rounding::down:
      return variant.flush ? float_to_integer<To, From, Rounding::down, true>
                           : float_to_integer<To, From, Rounding::down, false>;
    case Rounding::up:
      return variant.flush ? float_to_integer<To, From, Rounding::up, true>
                           : float_to_integer<To, From, Rounding::up, false>;
    case Rounding::away:
      return nullptr;
  }
  return nullptr;
}

/// `flush`: subnormal floats, read or written, become zero, those of double stay; a NaN that is read as a
/// float becomes the canonical one. All others keep their payload.
template <class To, class From, bool flush>
[[gnu::noinline]] void cast_lanes(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<From>>(warp, i.a);
  for_lanes<To>(row<Stored<To>>(warp, i.destination), active, [=](unsigned l) {
    From value = lane_value<From>(a, l);
    if constexpr (flush && std::is_same_v<From, float>) value = canonical(flushed(value));
    const auto cast = static_cast<To>(value);
    if constexpr (flush && std::is_same_v<To, float>) return flushed(cast);
    return cast;
  });
}
/// With a direction of rounding; the loop is a function of its own, so nothing moves past the mode.
template <class To, class From, bool flush, int mode>
void cast_rounded(Warp& warp, const Instruction& i, Mask active) {
  const int saved = std::fegetround();
  std::fesetround(mode);
  cast_lanes<To, From, flush>(warp, i, active);
  std::fesetround(saved);
}
/// [0, 1], NaN being 0.
template <class T>
T clamped(T value) {
  return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
}
/// `cast`, then clamped to [0, 1].
template <Handler cast, class To>
void cast_clamped(Warp& warp, const Instruction& i, Mask active) {
  cast(warp, i, active);
  To* d = row<To>(warp, i.destination);
  for_lanes<To>(d, active, [=](unsigned l) { return clamped(d[l]); });
}
template <Handler cast, class To>
Handler perhaps_clamped(bool saturate) {
  if constexpr (std::is_floating_point_v<To>) {
    if (saturate) return cast_clamped<cast, To>;
  }
  return cast;
}
template <class To, class From, bool flush>
Handler cast_handler(const Variant& variant) {
  switch (variant.rounding) {
    case Rounding::nearest:
      return perhaps_clamped<cast_lanes<To, From, flush>, To>(variant.saturate);
    case Rounding::zero:
      return perhaps_clamped<cast_rounded<To, From, flush, FE_TOWARDZERO>, To>(variant.saturate);
    case Rounding::down:
      return perhaps_clamped<cast_rounded<To, From, flush, FE_DOWNWARD>, To>(variant.saturate);
    case Rounding::up:
      return perhaps_clamped<cast_rounded<To, From, flush, FE_UPWARD>, To>(variant.saturate);
    case Rounding::away:
      return nullptr;
  }
  return nullptr;
}
/// Integers give no subnormal, so only casts between the floating-point types have a flushing form.
template <class To, class From>
Handler choose_cast(const Variant& variant) {
  if constexpr (std::is_floating_point_v<To> && std::is_floating_point_v<From>) {
    if (variant.flush) return cast_handler<To, From, true>(variant);
  }
  return cast_handler<To, From, false>(variant);
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

template <class T, Rounding rounding, bool flush, bool saturate>
void round_lanes(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  for_lanes<T>(row<T>(warp, i.destination), active, [=](unsigned l) {
    const T value = to_integral(flush ? flushed(a[l]) : a[l], rounding);
    return saturate ? clamped(value) : canonical(value);
  });
}
template <class T, bool flush>
void saturate_lanes(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  for_lanes<T>(row<T>(warp, i.destination), active,
               [=](unsigned l) { return clamped(flush ? flushed(a[l]) : a[l]); });
}
template <class T, bool flush, bool saturate>
Handler round_handler(const Variant& variant) {
  if (!variant.integral) return saturate ? saturate_lanes<T, flush> : cast_lanes<T, T, flush>;
  switch (variant.rounding) {
    case Rounding::nearest:
      return round_lanes<T, Rounding::nearest, flush, saturate>;
    case Rounding::zero:
      return round_lanes<T, Rounding::zero, flush, saturate>;
    case Rounding::down:
      return round_lanes<T, Rounding::down, flush, saturate>;
    case Rounding::up:
      return round_lanes<T, Rounding::up, flush, saturate>;
    case Rounding::away:
      return nullptr;
  }
  return nullptr;
}
template <class T>
Handler choose_round(const Variant& variant) {
  if constexpr (std::is_same_v<T, float>) {
    if (variant.flush) {
      return variant.saturate ? round_handler<T, true, true>(variant)
                              : round_handler<T, true, false>(variant);
    }
  }
  return variant.saturate ? round_handler<T, false, true>(variant) : round_handler<T, false, false>(variant);
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
    if constexpr (std::is_same_v<From, To>) return choose_round<To>(variant);
    return choose_cast<To, From>(variant);
  } else if constexpr (kFromFloat) {
    return float_to_integer_handler<To, From>(variant);
  } else if constexpr (kToFloat) {
    return choose_cast<To, From>(variant);
  } else {
    return variant.saturate ? integer_saturating<To, From> : cast_lanes<To, From, false>;
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

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
