// Floating-point instructions. PTX ISA 9.7.3.
//
// Add, subtract, multiply, fma, divide and square root are IEEE operations of the processor, so they agree
// with hardware bit for bit; results that are NaN become PTX's canonical NaN. The approximate functions are
// computed in double precision and rounded once, which lies within the bounds that PTX states. Directed
// rounding and .ftz set the processor's control register around the loop.
#include <xmmintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/machine/handlers/lanes.h"
#include "emulator/machine/handlers/tables.h"

namespace lockstep::emulator::LOCKSTEP_LEVEL {
namespace {

template <class T>
T canonical(T value) {
  if constexpr (sizeof(T) == 4) {
    return value == value ? value : std::bit_cast<float>(0x7FFF'FFFFU);
  } else {
    return value == value ? value : std::bit_cast<double>(std::uint64_t{0x7FFF'FFFF'FFFF'FFFF});
  }
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
    return canonical(a + b);
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return canonical(a - b);
  }
};
struct Multiply {
  template <class T>
  static T apply(T a, T b) {
    return canonical(a * b);
  }
};
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    return canonical(a / b);
  }
};
struct FusedMultiplyAdd {
  template <class T>
  static T apply(T a, T b, T c) {
    return canonical(std::fma(a, b, c));
  }
};
struct Absolute {
  template <class T>
  static T apply(T a) {
    return std::fabs(a);
  }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    return -a;
  }
};
/// The number when one operand is NaN; −0 is less than +0.
template <bool least, bool propagate>
struct Extreme {
  template <class T>
  static T apply(T a, T b) {
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) return canonical(propagate || (a_nan && b_nan) ? a + b : a_nan ? b : a);
    if (a == b) return std::signbit(a) == least ? a : b;
    return (a < b) == least ? a : b;
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
    constexpr unsigned kFlushResults = 0x8000, kFlushOperands = 0x0040;
    _mm_setcsr((saved_ & ~_MM_ROUND_MASK) | kRounding[static_cast<unsigned>(rounding)] |
               (flush ? kFlushResults | kFlushOperands : 0));
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

template <Handler handler>
Handler with_control(const Variant& variant) {
  switch (variant.rounding) {
    case Rounding::zero:
      return variant.flush ? controlled<handler, Rounding::zero, true>
                           : controlled<handler, Rounding::zero, false>;
    case Rounding::down:
      return variant.flush ? controlled<handler, Rounding::down, true>
                           : controlled<handler, Rounding::down, false>;
    case Rounding::up:
      return variant.flush ? controlled<handler, Rounding::up, true>
                           : controlled<handler, Rounding::up, false>;
    case Rounding::nearest:
      return variant.flush ? controlled<handler, Rounding::nearest, true> : handler;
  }
  return nullptr;
}

template <class T, class F>
Handler choose_unary(const Variant& v) {
  return v.saturate ? with_control<unary<T, Saturated<F>>>(v) : with_control<unary<T, F>>(v);
}
template <class T, class F>
Handler choose_binary(const Variant& v) {
  return v.saturate ? with_control<binary<T, Saturated<F>>>(v) : with_control<binary<T, F>>(v);
}
template <class T, class F>
Handler choose_ternary(const Variant& v) {
  return v.saturate ? with_control<ternary<T, Saturated<F>>>(v) : with_control<ternary<T, F>>(v);
}

template <class T>
Handler floating_of(Operation operation, const Variant& v) {
  switch (operation) {
    case Operation::move:
      return unary<T, Move>;
    case Operation::add:
      return choose_binary<T, Add>(v);
    case Operation::subtract:
      return choose_binary<T, Subtract>(v);
    case Operation::multiply_low:
      return choose_binary<T, Multiply>(v);
    case Operation::divide:
      return choose_binary<T, Divide>(v);
    case Operation::fused_multiply_add:
      return choose_ternary<T, FusedMultiplyAdd>(v);
    case Operation::absolute:
      return choose_unary<T, Absolute>(v);
    case Operation::negate:
      return choose_unary<T, Negate>(v);
    case Operation::minimum:
      return v.propagate_nan ? choose_binary<T, Extreme<true, true>>(v)
                             : choose_binary<T, Extreme<true, false>>(v);
    case Operation::maximum:
      return v.propagate_nan ? choose_binary<T, Extreme<false, true>>(v)
                             : choose_binary<T, Extreme<false, false>>(v);
    case Operation::copy_sign:
      return binary<T, CopySign>;
    case Operation::square_root:
      return choose_unary<T, SquareRoot>(v);
    case Operation::reciprocal:
      return choose_unary<T, Reciprocal>(v);
    case Operation::reciprocal_square_root:
      return choose_unary<T, ReciprocalSquareRoot>(v);
    default:
      break;
  }
  if constexpr (sizeof(T) == 4) {
    switch (operation) {
      case Operation::sine:
        return choose_unary<T, Sine>(v);
      case Operation::cosine:
        return choose_unary<T, Cosine>(v);
      case Operation::logarithm_2:
        return choose_unary<T, Logarithm2>(v);
      case Operation::exponential_2:
        return choose_unary<T, Exponential2>(v);
      case Operation::hyperbolic_tangent:
        return choose_unary<T, HyperbolicTangent>(v);
      default:
        break;
    }
  }
  return nullptr;
}

}  // namespace

Handler floating_handler(Operation operation, ptx::Type type, const Variant& variant) {
  if (type == ptx::Type::f32) return floating_of<float>(operation, variant);
  if (type == ptx::Type::f64) return floating_of<double>(operation, variant);
  return nullptr;
}

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
