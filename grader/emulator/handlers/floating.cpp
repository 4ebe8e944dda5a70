// Floating-point instructions. PTX ISA 9.7.3.
//
// Add, subtract, multiply, fma, divide and square root are IEEE operations of the processor, so they agree
// with hardware bit for bit; results of f32 that are NaN become PTX's canonical NaN. The approximate
// functions are computed in double precision and rounded once, which lies within the bounds that PTX states.
// Directed rounding sets the processor's control register around the loop. So does .ftz where a result is
// rounded: GPU and processor take for subnormal what would be with all bits of the fraction, although it is
// rounded to the least normal number.
#include <xmmintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/handlers/float_values.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

struct Move {
  template <class T>
  static T apply(T a) {
    return a;
  }
};
struct Add {
  template <class T>
  static T apply(T a, T b) {
    return with_nan_of(a + b, a, b);
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return with_nan_of(a - b, a, b);
  }
};
struct Multiply {
  template <class T>
  static T apply(T a, T b) {
    return with_nan_of(a * b, a, b);
  }
};
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    return canonical(a / b);
  }
};
/// div.approx: 0 for divisors beyond 2^126, and NaN for infinity by one of them. PTX ISA 9.7.3.8.
struct DivideApproximately {
  template <class T>
  static T apply(T a, T b) {
    const bool large = std::fabs(b) > T{0x1p126F} && std::fabs(b) <= std::numeric_limits<T>::max();
    return canonical(large ? a * std::copysign(T{0}, b) : a / b);
  }
};
struct FusedMultiplyAdd {
  template <class T>
  static T apply(T a, T b, T c) {
    return with_nan_of(std::fma(a, b, c), a, b, c);
  }
};
/// Hardware adds zero, so NaN is treated as in other operations and keeps its sign.
struct Absolute {
  template <class T>
  static T apply(T a) {
    return with_nan_of(std::fabs(a), a, T{});
  }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    return with_nan_of(-a, a, T{});
  }
};
/// The number when one operand is NaN; −0 is less than +0.
template <bool least, bool propagate>
struct Extreme {
  template <class T>
  static T apply(T a, T b) {
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) return propagate || (a_nan && b_nan) ? canonical(a + b) : a_nan ? b : a;
    if (a == b) return std::signbit(a) == least ? a : b;
    return (a < b) == least ? a : b;
  }
};
/// min.xorsign.abs: the extreme magnitude with the product's sign.
template <class Extreme>
struct SignProduct {
  template <class T>
  static T apply(T a, T b) {
    const T magnitude = Extreme::template apply<T>(std::fabs(a), std::fabs(b));
    const bool negative = std::signbit(a) != std::signbit(b);
    return magnitude == magnitude && negative ? -magnitude : magnitude;
  }
};
struct CopySign {
  template <class T>
  static T apply(T a, T b) {
    return std::copysign(b, a);
  }
};
struct SquareRoot {
  template <class T>
  static T apply(T a) {
    return canonical(std::sqrt(a));
  }
};
struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return canonical(T{1} / a);
  }
};
/// The upper word of a double, which is all that rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write.
inline double upper_word(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0xFFFF'FFFF'0000'0000);
}
template <class F>
struct Gross {
  template <class T>
  static T apply(T a) {
    const T result = upper_word(F::template apply<T>(upper_word(a)));
    return result == result ? result : std::bit_cast<double>(0x7FFF'FFFF'0000'0000);
  }
};
struct ReciprocalSquareRoot {
  template <class T>
  static T apply(T a) {
    return canonical(static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))));
  }
};
struct Sine {
  template <class T>
  static T apply(T a) {
    return canonical(static_cast<T>(std::sin(static_cast<double>(a))));
  }
};
struct Cosine {
  template <class T>
  static T apply(T a) {
    return canonical(static_cast<T>(std::cos(static_cast<double>(a))));
  }
};
struct Logarithm2 {
  template <class T>
  static T apply(T a) {
    return canonical(static_cast<T>(std::log2(static_cast<double>(a))));
  }
};
struct Exponential2 {
  template <class T>
  static T apply(T a) {
    return canonical(static_cast<T>(std::exp2(static_cast<double>(a))));
  }
};
struct HyperbolicTangent {
  template <class T>
  static T apply(T a) {
    return canonical(static_cast<T>(std::tanh(static_cast<double>(a))));
  }
};

/// F, then clamped to [0, 1] with NaN as 0.
template <class F>
struct Saturated {
  template <class T, class... Ts>
  static T apply(T a, Ts... others) {
    const T value = F::template apply<T>(a, others...);
    return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
  }
};

/// F with .ftz.
template <class F>
struct Flushed {
  template <class T, class... Ts>
  static T apply(T a, Ts... others) {
    return flushed(F::template apply<T>(flushed(a), flushed(others)...));
  }
};

template <class T, class F>
[[gnu::noinline]] void unary(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  for_lanes<T>(row<T>(warp, i.destination), active, [=](unsigned l) { return F::template apply<T>(a[l]); });
}
template <class T, class F>
[[gnu::noinline]] void binary(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  for_lanes<T>(row<T>(warp, i.destination), active,
               [=](unsigned l) { return F::template apply<T>(a[l], b[l]); });
}
/// Two floats to a lane of 64 bits (f32x2): a row of 64 floats.
template <class F, unsigned operands>
[[gnu::noinline]] void pairs(Warp& warp, const Instruction& i, Mask active) {
  const float* a = row<float>(warp, i.a);
  const float* b = row<float>(warp, i.b);
  const float* c = operands > 2 ? row<float>(warp, i.c) : a;
  float* d = row<float>(warp, i.destination);
  for (unsigned k = 0; k < 2 * kLanes; ++k) {
    if ((active >> k / 2 & 1) == 0) continue;
    if constexpr (operands == 2) d[k] = F::template apply<float>(a[k], b[k]);
    if constexpr (operands == 3) d[k] = F::template apply<float>(a[k], b[k], c[k]);
  }
}
template <class T, class F>
[[gnu::noinline]] void ternary(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  const T* c = row<T>(warp, i.c);
  for_lanes<T>(row<T>(warp, i.destination), active,
               [=](unsigned l) { return F::template apply<T>(a[l], b[l], c[l]); });
}

/// Rounds and flushes as asked while it lives. The loops are functions of their own, so nothing moves past
/// it.
class ControlRegister {
 public:
  ControlRegister(Rounding rounding, bool flush) : saved_(_mm_getcsr()) {
    static constexpr unsigned kRounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN,
                                             _MM_ROUND_UP};
    _mm_setcsr((saved_ & ~_MM_ROUND_MASK) | kRounding[static_cast<unsigned>(rounding)] |
               (flush ? _MM_FLUSH_ZERO_ON : 0));
  }
  ~ControlRegister() { _mm_setcsr(saved_); }
  ControlRegister(const ControlRegister&) = delete;
  ControlRegister& operator=(const ControlRegister&) = delete;

 private:
  unsigned saved_;
};

template <Handler handler, Rounding rounding, bool flush>
void controlled(Warp& warp, const Instruction& i, Mask active) {
  const ControlRegister control(rounding, flush);
  handler(warp, i, active);
}

template <Handler handler, bool flush = false>
Handler with_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return flush ? controlled<handler, Rounding::nearest, true> : handler;
    case Rounding::zero:
      return controlled<handler, Rounding::zero, flush>;
    case Rounding::down:
      return controlled<handler, Rounding::down, flush>;
    case Rounding::up:
      return controlled<handler, Rounding::up, flush>;
    case Rounding::away:
      return nullptr;
  }
  return nullptr;
}

template <class T, class F>
struct Unary {
  static constexpr Handler value = unary<T, F>;
};
template <class T, class F>
struct Binary {
  static constexpr Handler value = binary<T, F>;
};
template <class T, class F>
struct Ternary {
  static constexpr Handler value = ternary<T, F>;
};

/// Results that no rounding brings to the least normal number: subnormal ones are exact, or there are none.
template <class F>
constexpr bool kExactWhenSubnormal =
    std::is_same_v<F, Add> || std::is_same_v<F, Subtract> || std::is_same_v<F, SquareRoot>;

/// Loop is Unary, Binary or Ternary. f64 has neither .sat nor .ftz.
template <template <class, class> class Loop, class T, class F>
Handler choose(const Variant& v) {
  if constexpr (sizeof(T) == 8) return with_rounding<Loop<T, F>::value>(v.rounding);
  if (v.saturate) {
    return v.flush ? with_rounding<Loop<T, Flushed<Saturated<F>>>::value, !kExactWhenSubnormal<F>>(v.rounding)
                   : with_rounding<Loop<T, Saturated<F>>::value>(v.rounding);
  }
  return v.flush ? with_rounding<Loop<T, Flushed<F>>::value, !kExactWhenSubnormal<F>>(v.rounding)
                 : with_rounding<Loop<T, F>::value>(v.rounding);
}
/// Where there is nothing to round or to saturate.
template <template <class, class> class Loop, class T, class F>
Handler choose_flush(const Variant& v) {
  if constexpr (sizeof(T) == 8) return Loop<T, F>::value;
  return v.flush ? Loop<T, Flushed<F>>::value : Loop<T, F>::value;
}

template <class T, bool least>
Handler choose_extreme(const Variant& v) {
  if (v.sign_product) {
    return v.propagate_nan ? choose_flush<Binary, T, SignProduct<Extreme<least, true>>>(v)
                           : choose_flush<Binary, T, SignProduct<Extreme<least, false>>>(v);
  }
  return v.propagate_nan ? choose_flush<Binary, T, Extreme<least, true>>(v)
                         : choose_flush<Binary, T, Extreme<least, false>>(v);
}

template <class T>
Handler floating_of(Operation operation, const Variant& v) {
  switch (operation) {
    case Operation::move:
      return unary<T, Move>;
    case Operation::add:
      return choose<Binary, T, Add>(v);
    case Operation::subtract:
      return choose<Binary, T, Subtract>(v);
    case Operation::multiply_low:
      return choose<Binary, T, Multiply>(v);
    case Operation::divide:
      if constexpr (sizeof(T) == 4) {
        if (v.approximate) return choose<Binary, T, DivideApproximately>(v);
      }
      return choose<Binary, T, Divide>(v);
    case Operation::fused_multiply_add:
      return choose<Ternary, T, FusedMultiplyAdd>(v);
    case Operation::absolute:
      return choose_flush<Unary, T, Absolute>(v);
    case Operation::negate:
      return choose_flush<Unary, T, Negate>(v);
    case Operation::minimum:
      return choose_extreme<T, true>(v);
    case Operation::maximum:
      return choose_extreme<T, false>(v);
    case Operation::copy_sign:
      return binary<T, CopySign>;
    case Operation::square_root:
      return choose<Unary, T, SquareRoot>(v);
    case Operation::reciprocal:
      if constexpr (sizeof(T) == 8) {
        if (v.flush) return unary<T, Flushed<Gross<Reciprocal>>>;
      }
      return choose<Unary, T, Reciprocal>(v);
    case Operation::reciprocal_square_root:
      if constexpr (sizeof(T) == 8) {
        if (v.flush) return unary<T, Flushed<Gross<ReciprocalSquareRoot>>>;
      }
      return choose_flush<Unary, T, ReciprocalSquareRoot>(v);
    default:
      break;
  }
  if constexpr (sizeof(T) == 4) {
    switch (operation) {
      case Operation::sine:
        return choose_flush<Unary, T, Sine>(v);
      case Operation::cosine:
        return choose_flush<Unary, T, Cosine>(v);
      case Operation::logarithm_2:
        return choose_flush<Unary, T, Logarithm2>(v);
      case Operation::exponential_2:
        return choose_flush<Unary, T, Exponential2>(v);
      case Operation::hyperbolic_tangent:
        return choose_flush<Unary, T, HyperbolicTangent>(v);
      default:
        break;
    }
  }
  return nullptr;
}

template <class F, unsigned operands>
Handler choose_pairs(const Variant& v) {
  return v.flush ? with_rounding<pairs<Flushed<F>, operands>, !kExactWhenSubnormal<F>>(v.rounding)
                 : with_rounding<pairs<F, operands>>(v.rounding);
}
Handler pairs_of(Operation operation, const Variant& v) {
  switch (operation) {
    case Operation::add:
      return choose_pairs<Add, 2>(v);
    case Operation::subtract:
      return choose_pairs<Subtract, 2>(v);
    case Operation::multiply_low:
      return choose_pairs<Multiply, 2>(v);
    case Operation::fused_multiply_add:
      return choose_pairs<FusedMultiplyAdd, 3>(v);
    default:
      return nullptr;
  }
}

}  // namespace

Handler floating_handler(Operation operation, ptx::Type type, const Variant& variant) {
  if (type == ptx::Type::f32) return floating_of<float>(operation, variant);
  if (type == ptx::Type::f64) return floating_of<double>(operation, variant);
  if (type == ptx::Type::f32x2) return pairs_of(operation, variant);
  return nullptr;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
