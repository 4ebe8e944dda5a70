// Integer and logic instructions. PTX ISA 9.7.1, 9.7.2, 9.7.8.
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

template <class T>
struct Wider;
template <>
struct Wider<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct Wider<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct Wider<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct Wider<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct Wider<std::int64_t> {
  using type = Wide;
};
template <>
struct Wider<std::uint64_t> {
  using type = UnsignedWide;
};
template <class T>
using WiderOf = typename Wider<T>::type;

template <class T>
constexpr unsigned kBits = 8 * sizeof(T);

// Arithmetic wraps: it is done on the unsigned type, where C++ defines that.
template <class T>
T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
T wrap_subtract(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <class T>
T wrap_multiply(T a, T b) {
  // 16-bit operands would be promoted to a signed int and could overflow it.
  using U = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Unsigned<T>>;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <class T>
T high_product(T a, T b) {
  return static_cast<T>((static_cast<WiderOf<T>>(a) * static_cast<WiderOf<T>>(b)) >> kBits<T>);
}
template <class T>
T saturate_to(WiderOf<T> value) {
  if (value > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
  if (value < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

struct Move {
  template <class T>
  static T apply(T a) {
    return a;
  }
};
struct Add {
  template <class T>
  static T apply(T a, T b) {
    return wrap_add(a, b);
  }
};
struct AddSaturating {
  template <class T>
  static T apply(T a, T b) {
    return saturate_to<T>(WiderOf<T>{a} + WiderOf<T>{b});
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return wrap_subtract(a, b);
  }
};
struct SubtractSaturating {
  template <class T>
  static T apply(T a, T b) {
    return saturate_to<T>(WiderOf<T>{a} - WiderOf<T>{b});
  }
};
struct MultiplyLow {
  template <class T>
  static T apply(T a, T b) {
    return wrap_multiply(a, b);
  }
};
struct MultiplyHigh {
  template <class T>
  static T apply(T a, T b) {
    return high_product(a, b);
  }
};
struct MultiplyAddLow {
  template <class T>
  static T apply(T a, T b, T c) {
    return wrap_add(wrap_multiply(a, b), c);
  }
};
struct MultiplyAddHigh {
  template <class T>
  static T apply(T a, T b, T c) {
    return wrap_add(high_product(a, b), c);
  }
};
struct MultiplyAddHighSaturating {
  template <class T>
  static T apply(T a, T b, T c) {
    return saturate_to<T>(WiderOf<T>{high_product(a, b)} + c);
  }
};
template <class T>
T low_24(T a) {
  const auto shifted = static_cast<std::uint32_t>(a) << 8;
  return static_cast<T>(static_cast<T>(shifted) >> 8);
}
struct Multiply24 {
  template <class T>
  static T apply(T a, T b) {
    return wrap_multiply(low_24(a), low_24(b));
  }
};
struct MultiplyAdd24 {
  template <class T>
  static T apply(T a, T b, T c) {
    return wrap_add(wrap_multiply(low_24(a), low_24(b)), c);
  }
};
/// Bits 16 to 47 of the product.
template <class T>
T high_product_24(T a, T b) {
  return static_cast<T>((WiderOf<T>{low_24(a)} * WiderOf<T>{low_24(b)}) >> 16);
}
struct Multiply24High {
  template <class T>
  static T apply(T a, T b) {
    return high_product_24(a, b);
  }
};
struct MultiplyAdd24High {
  template <class T>
  static T apply(T a, T b, T c) {
    return wrap_add(high_product_24(a, b), c);
  }
};
struct MultiplyAdd24HighSaturating {
  template <class T>
  static T apply(T a, T b, T c) {
    return saturate_to<T>(WiderOf<T>{high_product_24(a, b)} + c);
  }
};
// Division by zero is unspecified in PTX; hardware gives all ones, and the dividend as remainder.
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return wrap_subtract(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Absolute {
  template <class T>
  static T apply(T a) {
    return a < 0 ? wrap_subtract(T{0}, a) : a;
  }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    return wrap_subtract(T{0}, a);
  }
};
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct AbsoluteDifference {
  template <class T>
  static T apply(T a, T b, T c) {
    return wrap_add(c, a < b ? wrap_subtract(b, a) : wrap_subtract(a, b));
  }
};
struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  static T apply(T a) {
    return a == 0 ? T{1} : T{0};
  }
};
struct BitReverse {
  template <class T>
  static T apply(T a) {
    T reversed = 0;
    for (unsigned bit = 0; bit < kBits<T>; ++bit) reversed = static_cast<T>(reversed << 1 | (a >> bit & 1));
    return reversed;
  }
};

template <class T>
T shift_left(T a, std::uint32_t by) {
  return by >= kBits<T> ? T{0} : static_cast<T>(static_cast<Unsigned<T>>(a) << by);
}
template <class T>
T shift_right(T a, std::uint32_t by) {
  if (by >= kBits<T>) return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> by);
}

template <class T, class F>
void unary(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  for_lanes<T>(row<Stored<T>>(warp, i.destination), active,
               [=](unsigned l) { return F::apply(lane_value<T>(a, l)); });
}
template <class T, class F>
void binary(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<Stored<T>>(warp, i.b);
  for_lanes<T>(row<Stored<T>>(warp, i.destination), active,
               [=](unsigned l) { return F::apply(lane_value<T>(a, l), lane_value<T>(b, l)); });
}
template <class T, class F>
void ternary(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<Stored<T>>(warp, i.b);
  const auto* c = row<Stored<T>>(warp, i.c);
  for_lanes<T>(row<Stored<T>>(warp, i.destination), active, [=](unsigned l) {
    return F::apply(lane_value<T>(a, l), lane_value<T>(b, l), lane_value<T>(c, l));
  });
}

template <class T>
void multiply_wide(Warp& warp, const Instruction& i, Mask active) {
  using W = WiderOf<T>;
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<Stored<T>>(warp, i.b);
  for_lanes<W>(row<Stored<W>>(warp, i.destination), active,
               [=](unsigned l) { return static_cast<W>(W{lane_value<T>(a, l)} * W{lane_value<T>(b, l)}); });
}
template <class T>
void multiply_add_wide(Warp& warp, const Instruction& i, Mask active) {
  using W = WiderOf<T>;
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<Stored<T>>(warp, i.b);
  const auto* c = row<Stored<W>>(warp, i.c);
  for_lanes<W>(row<Stored<W>>(warp, i.destination), active, [=](unsigned l) {
    return wrap_add(static_cast<W>(W{lane_value<T>(a, l)} * W{lane_value<T>(b, l)}), lane_value<W>(c, l));
  });
}

// Shift amounts are 32-bit whatever is shifted.
template <class T, T (*shift)(T, std::uint32_t)>
void shift_by(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  for_lanes<T>(row<Stored<T>>(warp, i.destination), active,
               [=](unsigned l) { return shift(lane_value<T>(a, l), b[l]); });
}

template <bool left, bool clamp>
void funnel_shift(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint64_t both = std::uint64_t{b[l]} << 32 | a[l];
    const std::uint32_t by = clamp ? (c[l] < 32 ? c[l] : 32) : c[l] & 31;
    return static_cast<std::uint32_t>(left ? (both << by) >> 32 : both >> by);
  });
}

// detail holds the truth table: bit 4a + 2b + c is the result for those bits.
void lookup_3(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  std::uint32_t table[8];
  for (unsigned k = 0; k < 8; ++k) table[k] = (i.detail >> k & 1) != 0 ? ~0U : 0U;
  const std::uint32_t t0 = table[0], t1 = table[1], t2 = table[2], t3 = table[3];
  const std::uint32_t t4 = table[4], t5 = table[5], t6 = table[6], t7 = table[7];
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint32_t x = a[l], y = b[l], z = c[l];
    const std::uint32_t low = (~y & ((~z & t0) | (z & t1))) | (y & ((~z & t2) | (z & t3)));
    const std::uint32_t high = (~y & ((~z & t4) | (z & t5))) | (y & ((~z & t6) | (z & t7)));
    return (~x & low) | (x & high);
  });
}

void permute(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint64_t both = std::uint64_t{b[l]} << 32 | a[l];
    std::uint32_t result = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      const std::uint32_t selector = c[l] >> (4 * byte);
      auto value = static_cast<std::uint32_t>(both >> (8 * (selector & 7)) & 0xFF);
      if ((selector & 8) != 0) value = (value & 0x80) != 0 ? 0xFF : 0;
      result |= value << (8 * byte);
    }
    return result;
  });
}

// detail: 0 f4e, 1 b4e, 2 rc8, 3 ecl, 4 ecr, 5 rc16. PTX ISA, table of prmt's modes.
void permute_mode(Warp& warp, const Instruction& i, Mask active) {
  static constexpr std::uint16_t kSelectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
      {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  const unsigned mode = i.detail % 6;
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint64_t both = std::uint64_t{b[l]} << 32 | a[l];
    const std::uint32_t selectors = kSelectors[mode][c[l] & 3];
    std::uint32_t result = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      result |= static_cast<std::uint32_t>(both >> (8 * (selectors >> (4 * byte) & 7)) & 0xFF) << (8 * byte);
    }
    return result;
  });
}

template <class T>
void bit_extract(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  for_lanes<T>(row<Stored<T>>(warp, i.destination), active, [=](unsigned l) {
    const unsigned position = b[l] & 0xFF, length = c[l] & 0xFF;
    if (length == 0) return T{0};
    const T value = lane_value<T>(a, l);
    const unsigned sign_bit = position + length - 1 < kBits<T> - 1 ? position + length - 1 : kBits<T> - 1;
    const bool sign = std::is_signed_v<T> && (static_cast<Unsigned<T>>(value) >> sign_bit & 1) != 0;
    const auto field = shift_right<Unsigned<T>>(static_cast<Unsigned<T>>(value), position);
    const auto kept =
        length >= kBits<T> ? ~Unsigned<T>{0} : static_cast<Unsigned<T>>((Unsigned<T>{1} << length) - 1);
    // Bits beyond the end of the value are copies of the sign.
    const unsigned available = position >= kBits<T> ? 0 : kBits<T> - position;
    const auto real =
        available >= kBits<T> ? ~Unsigned<T>{0} : static_cast<Unsigned<T>>((Unsigned<T>{1} << available) - 1);
    const Unsigned<T> inside = field & kept & real;
    return static_cast<T>(sign ? inside | ~(kept & real) : inside);
  });
}

template <class T>
void bit_insert(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<Stored<T>>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  const auto* d = row<std::uint32_t>(warp, i.vector[0]);
  for_lanes<T>(row<Stored<T>>(warp, i.destination), active, [=](unsigned l) {
    const unsigned position = c[l] & 0xFF, length = d[l] & 0xFF;
    const T ones = length >= kBits<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
    const T field = shift_left(ones, position);
    return static_cast<T>((b[l] & ~field) | (shift_left<T>(a[l], position) & field));
  });
}

template <bool clamp>
void bit_mask(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint32_t position = clamp ? a[l] : a[l] & 31, length = clamp ? b[l] : b[l] & 31;
    return shift_left<std::uint32_t>(length >= 32 ? ~0U : (1U << length) - 1, position);
  });
}

template <class T, bool as_shift>
void find_leading(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    auto value = static_cast<Unsigned<T>>(a[l]);
    if (std::is_signed_v<T> && static_cast<T>(a[l]) < 0) value = static_cast<Unsigned<T>>(~value);
    if (value == 0) return ~0U;
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(value));
    return as_shift ? zeros : kBits<T> - 1 - zeros;
  });
}

template <class T, bool count_zeros>
void count_bits(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<Stored<T>>(warp, i.a);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    return static_cast<std::uint32_t>(count_zeros ? std::countl_zero(a[l]) : std::popcount(a[l]));
  });
}

// szext: a value of `b` bits, sign- or zero-extended. The clamp and wrap forms differ beyond 31 bits only.
template <class T, bool clamp>
void sign_extend(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint32_t length = clamp ? b[l] : b[l] & 31;
    if (length >= 32) return a[l];
    if (length == 0) return 0U;
    const unsigned unused = 32 - length;
    return static_cast<std::uint32_t>(static_cast<T>(a[l] << unused) >> unused);
  });
}

/// fns: the place of the set bit that is |c|-th from bit b on, upwards or, for a negative c, downwards.
void find_nth_set(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::int32_t>(warp, i.c);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint32_t base = b[l] & 31;
    if (c[l] == 0) return (a[l] >> base & 1) != 0 ? base : ~0U;
    const int step = c[l] > 0 ? 1 : -1;
    std::uint32_t left = c[l] > 0 ? static_cast<std::uint32_t>(c[l]) : 0U - static_cast<std::uint32_t>(c[l]);
    for (int place = static_cast<int>(base); place >= 0 && place < 32; place += step) {
      if ((a[l] >> place & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(place);
    }
    return ~0U;
  });
}

template <class A, class B>
void dot_product_4(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    std::int32_t sum = 0;
    for (unsigned k = 0; k < 32; k += 8) sum += static_cast<A>(a[l] >> k) * static_cast<B>(b[l] >> k);
    return c[l] + static_cast<std::uint32_t>(sum);
  });
}
template <class A, class B, bool high>
void dot_product_2(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  using A16 = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint32_t bytes = high ? b[l] >> 16 : b[l];
    const std::int32_t sum = static_cast<A16>(a[l]) * static_cast<B>(bytes) +
                             static_cast<A16>(a[l] >> 16) * static_cast<B>(bytes >> 8);
    return c[l] + static_cast<std::uint32_t>(sum);
  });
}
template <template <class, class> class Pick, class Result>
Result by_signs(bool a_signed, bool b_signed) {
  if (a_signed)
    return b_signed ? Pick<std::int8_t, std::int8_t>::value : Pick<std::int8_t, std::uint8_t>::value;
  return b_signed ? Pick<std::uint8_t, std::int8_t>::value : Pick<std::uint8_t, std::uint8_t>::value;
}
template <class A, class B>
struct Dot4 {
  static constexpr Handler value = dot_product_4<A, B>;
};
template <class A, class B>
struct Dot2Low {
  static constexpr Handler value = dot_product_2<A, B, false>;
};
template <class A, class B>
struct Dot2High {
  static constexpr Handler value = dot_product_2<A, B, true>;
};

/// Sum with the carry flag. Subtraction adds the complement and a carry of 1, as hardware does: the flag that
/// it leaves means "no borrow", and addc may follow subc.
template <class T, bool subtract, bool multiply, bool high, bool carry_in, bool carry_out>
void with_carry(Warp& warp, const Instruction& i, Mask active) {
  using W = WiderOf<T>;
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  const T* c = multiply ? row<T>(warp, i.c) : nullptr;
  T* d = row<T>(warp, i.destination);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const W carry = carry_in ? warp.carry >> lane & 1 : subtract ? 1 : 0;
    W left = a[lane], right = b[lane];
    if (multiply) {
      const W product = W{a[lane]} * W{b[lane]};
      left = static_cast<T>(high ? product >> kBits<T> : product);
      right = c[lane];
    }
    if (subtract) right = static_cast<T>(~b[lane]);
    const W sum = left + right + carry;
    d[lane] = static_cast<T>(sum);
    if (carry_out) {
      const bool out = (sum >> kBits<T> & 1) != 0;
      warp.carry = (warp.carry & ~(1U << lane)) | static_cast<Mask>(out) << lane;
    }
  }
}
template <class T, bool subtract, bool multiply, bool high>
Handler carry_handler(const Variant& variant) {
  if (variant.carry_in) {
    return variant.carry_out ? with_carry<T, subtract, multiply, high, true, true>
                             : with_carry<T, subtract, multiply, high, true, false>;
  }
  return with_carry<T, subtract, multiply, high, false, true>;
}

template <class T>
Handler integer_of(Operation operation, const Variant& variant) {
  constexpr bool kWord = sizeof(T) == 4;
  constexpr bool kSigned = std::is_signed_v<T>;
  switch (operation) {
    case Operation::move:
      return unary<T, Move>;
    case Operation::add:
      if constexpr (kWord && kSigned) {
        if (variant.saturate) return binary<T, AddSaturating>;
      }
      return binary<T, Add>;
    case Operation::subtract:
      if constexpr (kWord && kSigned) {
        if (variant.saturate) return binary<T, SubtractSaturating>;
      }
      return binary<T, Subtract>;
    case Operation::multiply_low:
      return binary<T, MultiplyLow>;
    case Operation::multiply_high:
      return binary<T, MultiplyHigh>;
    case Operation::multiply_wide:
      if constexpr (sizeof(T) <= 4) return multiply_wide<T>;
      return nullptr;
    case Operation::multiply_add_low:
      return ternary<T, MultiplyAddLow>;
    case Operation::multiply_add_high:
      if constexpr (kWord && kSigned) {
        if (variant.saturate) return ternary<T, MultiplyAddHighSaturating>;
      }
      return ternary<T, MultiplyAddHigh>;
    case Operation::multiply_add_wide:
      if constexpr (sizeof(T) <= 4) return multiply_add_wide<T>;
      return nullptr;
    case Operation::multiply_24:
      if constexpr (kWord) return binary<T, Multiply24>;
      return nullptr;
    case Operation::multiply_add_24:
      if constexpr (kWord) return ternary<T, MultiplyAdd24>;
      return nullptr;
    case Operation::multiply_24_high:
      if constexpr (kWord) return binary<T, Multiply24High>;
      return nullptr;
    case Operation::multiply_add_24_high:
      if constexpr (kWord && kSigned) {
        if (variant.saturate) return ternary<T, MultiplyAdd24HighSaturating>;
      }
      if constexpr (kWord) return ternary<T, MultiplyAdd24High>;
      return nullptr;
    case Operation::divide:
      return binary<T, Divide>;
    case Operation::remainder:
      return binary<T, Remainder>;
    case Operation::absolute:
      return unary<T, Absolute>;
    case Operation::negate:
      return unary<T, Negate>;
    case Operation::minimum:
      return binary<T, Minimum>;
    case Operation::maximum:
      return binary<T, Maximum>;
    case Operation::absolute_difference:
      return ternary<T, AbsoluteDifference>;
    case Operation::bit_and:
      return binary<T, And>;
    case Operation::bit_or:
      return binary<T, Or>;
    case Operation::bit_xor:
      return binary<T, Xor>;
    case Operation::bit_not:
      return unary<T, Not>;
    case Operation::logical_not:
      return unary<T, LogicalNot>;
    case Operation::shift_left:
      return shift_by<T, shift_left<T>>;
    case Operation::shift_right:
      return shift_by<T, shift_right<T>>;
    case Operation::bit_extract:
      if constexpr (sizeof(T) >= 4) return bit_extract<T>;
      return nullptr;
    case Operation::bit_insert:
      if constexpr (sizeof(T) >= 4 && !kSigned) return bit_insert<T>;
      return nullptr;
    case Operation::find_leading:
      if constexpr (sizeof(T) >= 4) return find_leading<T, false>;
      return nullptr;
    case Operation::find_leading_shift:
      if constexpr (sizeof(T) >= 4) return find_leading<T, true>;
      return nullptr;
    case Operation::leading_zeros:
      if constexpr (sizeof(T) >= 4 && !kSigned) return count_bits<T, true>;
      return nullptr;
    case Operation::population:
      if constexpr (sizeof(T) >= 4 && !kSigned) return count_bits<T, false>;
      return nullptr;
    case Operation::bit_reverse:
      if constexpr (sizeof(T) >= 4 && !kSigned) return unary<T, BitReverse>;
      return nullptr;
    case Operation::sign_extend:
      if constexpr (kWord) return variant.saturate ? sign_extend<T, true> : sign_extend<T, false>;
      return nullptr;
    case Operation::add_carry:
      if constexpr (sizeof(T) >= 4) return carry_handler<Unsigned<T>, false, false, false>(variant);
      return nullptr;
    case Operation::subtract_carry:
      if constexpr (sizeof(T) >= 4) return carry_handler<Unsigned<T>, true, false, false>(variant);
      return nullptr;
    case Operation::multiply_add_low_carry:
      if constexpr (sizeof(T) >= 4 && !kSigned) return carry_handler<T, false, true, false>(variant);
      return nullptr;
    case Operation::multiply_add_high_carry:
      if constexpr (sizeof(T) >= 4 && !kSigned) return carry_handler<T, false, true, true>(variant);
      return nullptr;
    default:
      return nullptr;
  }
}

Handler word_only(Operation operation, bool a_signed, const Variant& variant) {
  const bool b_signed = variant.source == ptx::Type::s32;
  switch (operation) {
    case Operation::lookup_3:
      return lookup_3;
    case Operation::funnel_left_wrap:
      return funnel_shift<true, false>;
    case Operation::funnel_left_clamp:
      return funnel_shift<true, true>;
    case Operation::funnel_right_wrap:
      return funnel_shift<false, false>;
    case Operation::funnel_right_clamp:
      return funnel_shift<false, true>;
    case Operation::permute:
      return permute;
    case Operation::permute_mode:
      return permute_mode;
    case Operation::bit_mask:
      return variant.saturate ? bit_mask<true> : bit_mask<false>;
    case Operation::find_nth_set:
      return find_nth_set;
    case Operation::dot_product_4:
      return by_signs<Dot4, Handler>(a_signed, b_signed);
    case Operation::dot_product_2_low:
      return by_signs<Dot2Low, Handler>(a_signed, b_signed);
    case Operation::dot_product_2_high:
      return by_signs<Dot2High, Handler>(a_signed, b_signed);
    default:
      return nullptr;
  }
}

}  // namespace

Handler integer_handler(Operation operation, ptx::Type type, const Variant& variant) {
  using ptx::Type;
  if (variant.rectify) return nullptr;
  if (type == Type::b32 || type == Type::u32 || type == Type::s32) {
    if (const Handler found = word_only(operation, type == Type::s32, variant)) return found;
  }
  switch (type) {
    case Type::b16:
    case Type::u16:
      return integer_of<std::uint16_t>(operation, variant);
    case Type::s16:
      return integer_of<std::int16_t>(operation, variant);
    case Type::b32:
    case Type::u32:
      return integer_of<std::uint32_t>(operation, variant);
    case Type::s32:
      return integer_of<std::int32_t>(operation, variant);
    case Type::b64:
    case Type::u64:
      return integer_of<std::uint64_t>(operation, variant);
    case Type::s64:
      return integer_of<std::int64_t>(operation, variant);
    default:
      return nullptr;
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
