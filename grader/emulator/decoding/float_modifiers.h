// The modifiers of floating-point instructions: which an operation on a type may have, and the flags that the
// handlers of narrow formats read. What PTX does not allow stays in Modifiers, and so is refused.
#pragma once

#include "emulator/decoding/modifiers.h"
#include "emulator/decoding/names.h"

namespace lockstep::emulator::decoding {

inline bool is_half(ptx::Type type) {
  return type == ptx::Type::f16 || type == ptx::Type::f16x2 || type == ptx::Type::bf16 ||
         type == ptx::Type::bf16x2;
}
inline bool is_floating(ptx::Type type) {
  return type == ptx::Type::f32 || type == ptx::Type::f64 || type == ptx::Type::f32x2 || is_half(type);
}

/// Takes .rn, .rz, .rm or .rp.
Rounding take_rounding(Modifiers& modifiers);

/// Takes what `operation` may have on floating-point values of `type`.
void take_float_modifiers(Operation operation, ptx::Type type, Modifiers& modifiers, Variant& variant);

/// Instruction::detail of narrow formats.
std::uint16_t narrow_flags(const Variant& variant);

}  // namespace lockstep::emulator::decoding
