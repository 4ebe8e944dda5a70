#include "emulator/decoding/float_modifiers.h"

namespace lockstep::emulator::decoding {

using ptx::Type;

Rounding take_rounding(Modifiers& modifiers) {
  return modifiers
      .take_one<Rounding>(
          {{"rn", Rounding::nearest}, {"rz", Rounding::zero}, {"rm", Rounding::down}, {"rp", Rounding::up}})
      .value_or(Rounding::nearest);
}

void take_float_modifiers(Operation operation, Type type, Modifiers& modifiers, Variant& variant) {
  const bool single = type == Type::f32, f16 = type == Type::f16 || type == Type::f16x2;
  const auto take_flush = [&](bool allowed) { variant.flush = allowed && modifiers.take("ftz"); };
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply_low:
    case Operation::fused_multiply_add:
      variant.rounding = take_rounding(modifiers);
      if (is_half(type) && variant.rounding != Rounding::nearest) throw NotSupported{};
      take_flush(single || f16 || type == Type::f32x2);
      variant.saturate = (single || f16) && modifiers.take("sat");
      variant.rectify = operation == Operation::fused_multiply_add && is_half(type) && modifiers.take("relu");
      break;
    case Operation::divide:
    case Operation::reciprocal:
    case Operation::square_root: {
      // Approximate forms are computed exactly, full-range division too.
      variant.approximate = modifiers.take("approx");
      const bool approximate =
          variant.approximate || (operation == Operation::divide && modifiers.take("full"));
      if (!approximate) variant.rounding = take_rounding(modifiers);
      take_flush(single || (type == Type::f64 && approximate && operation == Operation::reciprocal));
      break;
    }
    case Operation::reciprocal_square_root:
      modifiers.take("approx");
      take_flush(single || type == Type::f64);
      break;
    case Operation::sine:
    case Operation::cosine:
    case Operation::logarithm_2:
      modifiers.take("approx");
      take_flush(single);
      break;
    case Operation::exponential_2:
      modifiers.take("approx");
      take_flush(single || type == Type::bf16 || type == Type::bf16x2);
      break;
    case Operation::hyperbolic_tangent:
      modifiers.take("approx");
      break;
    case Operation::absolute:
    case Operation::negate:
      take_flush(single || f16);
      break;
    case Operation::minimum:
    case Operation::maximum:
      take_flush(single || f16);
      if (type == Type::f64) break;
      variant.propagate_nan = modifiers.take("NaN");
      variant.sign_product = modifiers.take("xorsign");
      if (variant.sign_product && !modifiers.take("abs")) throw NotSupported{};
      break;
    default:
      break;
  }
}

std::uint16_t narrow_flags(const Variant& variant) {
  const auto flag = [](bool on, std::uint16_t bit) { return on ? bit : 0; };
  return static_cast<std::uint16_t>(
      flag(variant.flush, narrow::kFlush) | flag(variant.saturate, narrow::kSaturate) |
      flag(variant.rectify, narrow::kRectify) | flag(variant.finite, narrow::kFinite) |
      flag(variant.propagate_nan, narrow::kPropagate) | flag(variant.sign_product, narrow::kSignProduct) |
      static_cast<unsigned>(variant.rounding) << narrow::kRoundingShift);
}

}  // namespace lockstep::emulator::decoding
