// cvt: from any type to any other, of which floats of 16 bits and fewer come in pairs.
#include "emulator/decoding/float_modifiers.h"
#include "emulator/decoding/function_decoder.h"

namespace lockstep::emulator::decoding {

namespace {

bool is_integer(ptx::Type type) { return !is_floating(type) && ptx::bytes_of(type) <= 8; }

/// Two floats of 8, 6 or 4 bits each.
bool is_tiny_pair(ptx::Type type) {
  using enum ptx::Type;
  return type == e4m3x2 || type == e5m2x2 || type == e2m1x2 || type == e2m3x2 || type == e3m2x2;
}

/// Types whose values a narrow register may hold in the low bits of a wider one.
ptx::Type widened(ptx::Type type) {
  switch (type) {
    case ptx::Type::s8:
    case ptx::Type::s16:
    case ptx::Type::s32:
      return ptx::Type::s64;
    default:
      return ptx::Type::u64;
  }
}

}  // namespace

/// A source of cvt, whose register may be wider than the type that is read: its low bits are.
Slot FunctionDecoder::converted_source(const Operand& operand, Type type) {
  if (operand.kind != Kind::reg || is_wide(type) || !is_integer(type) || !is_wide(register_type(operand)))
    return source_row(operand, type);
  Instruction cut = begin_instruction();
  Variant variant;
  variant.source = Type::u64;
  cut.execute = table_.convert(Type::u32, variant);
  cut.a = register_row(operand, true);
  cut.destination = new_row(false);
  emit(cut);
  return cut.destination;
}

void FunctionDecoder::decode_convert(Modifiers& modifiers) {
  if (modifiers.take("pack") || modifiers.take("rs")) throw NotSupported{};
  Variant variant;
  const std::optional<Rounding> integral = modifiers.take_one<Rounding>(
      {{"rni", Rounding::nearest}, {"rzi", Rounding::zero}, {"rmi", Rounding::down}, {"rpi", Rounding::up}});
  variant.integral = integral.has_value();
  const bool away = modifiers.take("rna");
  variant.rounding = integral ? *integral : away ? Rounding::away : take_rounding(modifiers);
  variant.saturate = modifiers.take("sat");
  const Type to = need_type(modifiers);
  variant.source = need_type(modifiers);
  const Type from = variant.source;
  variant.flush = (to == Type::f32 || from == Type::f32) && modifiers.take("ftz");
  const bool scales = to == Type::ue8m0x2;
  const bool tiny = is_tiny_pair(to);
  const bool to_pair = to == Type::f16x2 || to == Type::bf16x2 || tiny || scales;
  const bool narrow_float = to == Type::f16 || to == Type::bf16 || to == Type::tf32;
  if ((to_pair && from != Type::ue8m0x2) || (narrow_float && from == Type::f32)) {
    variant.rectify = !scales && modifiers.take("relu");
    variant.finite = modifiers.take("satfinite");
  }
  if ((away && to != Type::tf32) || (tiny && !variant.finite)) throw NotSupported{};
  if (scales && variant.rounding != Rounding::zero && variant.rounding != Rounding::up) throw NotSupported{};
  if (variant.rounding != Rounding::nearest && (tiny || is_tiny_pair(from) || from == Type::ue8m0x2))
    throw NotSupported{};

  Instruction instruction = begin_instruction();
  instruction.execute = table_.convert(to, variant);
  instruction.detail = narrow_flags(variant);
  instruction.a = converted_source(operand(1), from);
  const bool two_sources = to_pair && from == Type::f32;
  if (operand_count() != (two_sources ? 3U : 2U)) throw Contradiction{"a wrong number of operands"};
  if (two_sources) instruction.b = source_row(operand(2), from);
  // A register may be wider than an integer, which is extended then.
  const Operand& result = operand(0);
  const bool extends =
      result.kind == Kind::reg && is_wide(register_type(result)) && !is_wide(to) && is_integer(to);
  instruction.destination = extends ? new_row(false) : written_row(result, is_wide(to));
  finish(modifiers, instruction);
  if (!extends) return;
  Instruction extend = begin_instruction();
  Variant extension;
  extension.source = to;
  extend.execute = need(table_.convert(widened(to), extension));
  extend.a = instruction.destination;
  extend.destination = register_row(result, true);
  emit(extend);
}

}  // namespace lockstep::emulator::decoding
