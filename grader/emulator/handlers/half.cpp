// Arithmetic on f16 and bf16, one or two to a lane. PTX ISA 9.7.4.
//
// Operands become floats, the result is rounded once (narrow_float.h). detail holds the narrow:: flags;
// without any, a loop has no branches and is vector code.
#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/narrow_float.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

/// .sat and .relu of a result.
template <class F>
std::uint32_t finished(std::uint32_t code, std::uint16_t flags) {
  const bool is_nan = (code & (kSignBit<F> - 1)) > F::kFormat.infinity();
  const bool negative = (code & kSignBit<F>) != 0;
  if ((flags & narrow::kSaturate) != 0) return is_nan || negative ? 0 : code < F::kOne ? code : F::kOne;
  if ((flags & narrow::kRectify) != 0 && !is_nan && negative) return 0;
  return code;
}

template <class F>
std::uint32_t input(std::uint32_t code, std::uint16_t flags) {
  return (flags & narrow::kFlush) != 0 ? flushed_code<F>(code) : code;
}

/// Subnormal, to .ftz, is what lies nearer to the greatest subnormal number than to the least normal one if
/// numbers down there had as many bits as normal ones.
template <class F>
float flushed_value(float value) {
  return std::fabs(value) < F::kFlushBorder ? std::copysign(0.0F, value) : value;
}

// Operations on values: how the float is computed that F::nearest then rounds.
struct Add {
  template <class F>
  static float apply(float a, float b) {
    return a + b;
  }
};
struct Subtract {
  template <class F>
  static float apply(float a, float b) {
    return a - b;
  }
};
struct Multiply {
  template <class F>
  static float apply(float a, float b) {
    return F::multiply(a, b);
  }
};
struct FusedMultiplyAdd {
  template <class F>
  static float apply(float a, float b, float c) {
    return round_to_odd(add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
  }
};
struct Exponential2 {
  template <class F>
  static float apply(float a) {
    return round_to_odd(std::exp2(static_cast<double>(a)));
  }
};
struct HyperbolicTangent {
  template <class F>
  static float apply(float a) {
    return round_to_odd(std::tanh(static_cast<double>(a)));
  }
};

/// An operation on values as one on codes.
template <class Operation>
struct Rounded {
  template <class F, class... Codes>
  static std::uint32_t plain(Codes... codes) {
    return F::nearest(Operation::template apply<F>(F::value(codes)...));
  }
  template <class F, class... Codes>
  static std::uint32_t flagged(std::uint16_t flags, Codes... codes) {
    const float value = Operation::template apply<F>(F::value(input<F>(codes, flags))...);
    return finished<F>(F::nearest((flags & narrow::kFlush) != 0 ? flushed_value<F>(value) : value), flags);
  }
};

// Operations on codes.
template <class F>
std::uint32_t canonical_code(std::uint32_t code) {
  return (code & (kSignBit<F> - 1)) > F::kFormat.infinity() ? F::kFormat.nan : code;
}
struct Absolute {
  template <class F>
  static std::uint32_t plain(std::uint32_t a) {
    return canonical_code<F>(a & (kSignBit<F> - 1));
  }
  template <class F>
  static std::uint32_t flagged(std::uint16_t flags, std::uint32_t a) {
    return plain<F>(input<F>(a, flags));
  }
};
struct Negate {
  template <class F>
  static std::uint32_t plain(std::uint32_t a) {
    return canonical_code<F>(a ^ kSignBit<F>);
  }
  template <class F>
  static std::uint32_t flagged(std::uint16_t flags, std::uint32_t a) {
    return plain<F>(input<F>(a, flags));
  }
};
/// The number when one operand is NaN; −0 is less than +0.
template <bool least>
struct Extreme {
  template <class F>
  static std::uint32_t plain(std::uint32_t a, std::uint32_t b) {
    return flagged<F>(0, a, b);
  }
  template <class F>
  static std::uint32_t flagged(std::uint16_t flags, std::uint32_t a, std::uint32_t b) {
    a = input<F>(a, flags);
    b = input<F>(b, flags);
    std::uint32_t sign = 0;
    if ((flags & narrow::kSignProduct) != 0) {
      sign = (a ^ b) & kSignBit<F>;
      a &= kSignBit<F> - 1;
      b &= kSignBit<F> - 1;
    }
    const bool a_nan = (a & (kSignBit<F> - 1)) > F::kFormat.infinity();
    const bool b_nan = (b & (kSignBit<F> - 1)) > F::kFormat.infinity();
    // Codes in the order of their values: those of negative numbers are turned round.
    const std::uint32_t a_rank = (a & kSignBit<F>) != 0 ? ~a & 0xFFFF : a | kSignBit<F>;
    const std::uint32_t b_rank = (b & kSignBit<F>) != 0 ? ~b & 0xFFFF : b | kSignBit<F>;
    const std::uint32_t number = a_nan ? b : b_nan || (a_rank < b_rank) == least ? a : b;
    const bool no_number = (a_nan && b_nan) || ((flags & narrow::kPropagate) != 0 && (a_nan || b_nan));
    return no_number ? F::kFormat.nan : number | sign;
  }
};

/// f(shift) for the one or two values of a lane, put together again.
template <bool packed, class Compute>
[[gnu::always_inline]] inline std::uint32_t each_half(Compute compute) {
  return packed ? compute(0) | compute(16) << 16 : compute(0);
}

/// `operands` of a, b, c are read.
template <class F, class Operation, bool packed, unsigned operands>
void compute(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = operands > 1 ? row<std::uint32_t>(warp, i.b) : a;
  const auto* c = operands > 2 ? row<std::uint32_t>(warp, i.c) : a;
  auto* d = row<std::uint32_t>(warp, i.destination);
  const std::uint16_t flags = i.detail;
  const auto run = [=](auto operation) {
    for_lanes<std::uint32_t>(d, active, [=](unsigned l) {
      return each_half<packed>([=](unsigned shift) {
        const auto code = [=](const std::uint32_t* values) { return values[l] >> shift & 0xFFFF; };
        if constexpr (operands == 1) return operation(code(a));
        if constexpr (operands == 2) return operation(code(a), code(b));
        if constexpr (operands == 3) return operation(code(a), code(b), code(c));
      });
    });
  };
  if (flags == 0) {
    run([](auto... codes) { return Operation::template plain<F>(codes...); });
  } else {
    run([=](auto... codes) { return Operation::template flagged<F>(flags, codes...); });
  }
}

template <class F, bool packed>
Handler half_operation(Operation operation) {
  switch (operation) {
    case Operation::add:
      return compute<F, Rounded<Add>, packed, 2>;
    case Operation::subtract:
      return compute<F, Rounded<Subtract>, packed, 2>;
    case Operation::multiply_low:
      return compute<F, Rounded<Multiply>, packed, 2>;
    case Operation::fused_multiply_add:
      return compute<F, Rounded<FusedMultiplyAdd>, packed, 3>;
    case Operation::exponential_2:
      return compute<F, Rounded<Exponential2>, packed, 1>;
    case Operation::hyperbolic_tangent:
      return compute<F, Rounded<HyperbolicTangent>, packed, 1>;
    case Operation::absolute:
      return compute<F, Absolute, packed, 1>;
    case Operation::negate:
      return compute<F, Negate, packed, 1>;
    case Operation::minimum:
      return compute<F, Extreme<true>, packed, 2>;
    case Operation::maximum:
      return compute<F, Extreme<false>, packed, 2>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler half_handler(Operation operation, ptx::Type type) {
  switch (type) {
    case ptx::Type::f16:
      return half_operation<Half, false>(operation);
    case ptx::Type::f16x2:
      return half_operation<Half, true>(operation);
    case ptx::Type::bf16:
      return half_operation<Bfloat16, false>(operation);
    case ptx::Type::bf16x2:
      return half_operation<Bfloat16, true>(operation);
    default:
      return nullptr;
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
