// Arithmetic, comparisons, selections, moves and conversions.
#include "emulator/machine/decoding/function_decoder.h"

#include <map>

namespace lockstep::emulator {

// --- arithmetic ---

Rounding FunctionDecoder::take_rounding(Modifiers& modifiers) {
  return modifiers
      .take_one<Rounding>(
          {{"rn", Rounding::nearest}, {"rz", Rounding::zero}, {"rm", Rounding::down}, {"rp", Rounding::up}})
      .value_or(Rounding::nearest);
}

void FunctionDecoder::decode_arithmetic(Operation operation, Modifiers& modifiers) {
  Variant variant;
  variant.rounding = take_rounding(modifiers);
  variant.flush = modifiers.take("ftz");
  variant.saturate = modifiers.take("sat") || modifiers.take("clamp");
  variant.propagate_nan = modifiers.take("NaN");
  // Approximate forms are computed exactly, full-range division too.
  if (!modifiers.take("approx")) modifiers.take("full");
  modifiers.take("wrap");
  const Type type = need_type(modifiers);
  Instruction instruction = begin_instruction();
  if (operation == Operation::dot_product_4 || operation == Operation::dot_product_2_low) {
    variant.source = need_type(modifiers);
    if (operation == Operation::dot_product_2_low) {
      if (modifiers.take("hi")) operation = Operation::dot_product_2_high;
      modifiers.take("lo");
    }
  }
  if (operation == Operation::find_leading && modifiers.take("shiftamt"))
    operation = Operation::find_leading_shift;
  if (type == Type::pred) {
    static const std::map<Operation, Operation> kLogic = {{Operation::bit_and, Operation::and_predicate},
                                                          {Operation::bit_or, Operation::or_predicate},
                                                          {Operation::bit_xor, Operation::xor_predicate},
                                                          {Operation::bit_not, Operation::not_predicate}};
    const auto logic = kLogic.find(operation);
    if (logic == kLogic.end()) throw NotSupported{};
    instruction.execute = table_.arithmetic(logic->second, type, variant);
    instruction.destination = predicate(this->operand(0));
    instruction.a = predicate(this->operand(1));
    instruction.reads_flags = this->operand(1).negated ? 1 : 0;
    if (operand_count() > 2) {
      instruction.b = predicate(this->operand(2));
      instruction.reads_flags |= this->operand(2).negated ? 2 : 0;
    }
    return finish(modifiers, instruction);
  }
  instruction.execute = table_.arithmetic(operation, type, variant);
  const bool counts = operation == Operation::population || operation == Operation::leading_zeros ||
                      operation == Operation::find_leading || operation == Operation::find_leading_shift;
  instruction.destination = written_row(this->operand(0), counts ? false : is_wide(type));
  instruction.a = source_row(this->operand(1), type);
  const bool shifts = operation == Operation::shift_left || operation == Operation::shift_right ||
                      operation == Operation::bit_extract;
  if (operand_count() > 2) instruction.b = source_row(this->operand(2), shifts ? Type::u32 : type);
  if (operand_count() > 3) {
    const bool position = operation == Operation::bit_extract || operation == Operation::bit_insert;
    instruction.c = source_row(this->operand(3), position ? Type::u32 : type);
  }
  if (operand_count() > 4) {
    if (operation == Operation::bit_insert) {
      instruction.vector[0] = source_row(this->operand(4), Type::u32);
    } else if (operation == Operation::lookup_3) {
      if (this->operand(4).kind != Kind::immediate) throw NotSupported{};
      instruction.detail = static_cast<std::uint16_t>(this->operand(4).bits & 0xFF);
    } else {
      throw NotSupported{};
    }
  }
  static const std::map<Operation, std::size_t> kOperands = {{Operation::lookup_3, 5},
                                                             {Operation::bit_insert, 5},
                                                             {Operation::bit_extract, 4},
                                                             {Operation::fused_multiply_add, 4},
                                                             {Operation::absolute_difference, 4},
                                                             {Operation::dot_product_4, 4},
                                                             {Operation::dot_product_2_low, 4},
                                                             {Operation::dot_product_2_high, 4},
                                                             {Operation::funnel_left_wrap, 4},
                                                             {Operation::funnel_left_clamp, 4},
                                                             {Operation::funnel_right_wrap, 4},
                                                             {Operation::funnel_right_clamp, 4},
                                                             {Operation::permute, 4},
                                                             {Operation::permute_mode, 4},
                                                             {Operation::absolute, 2},
                                                             {Operation::negate, 2},
                                                             {Operation::bit_not, 2},
                                                             {Operation::logical_not, 2},
                                                             {Operation::find_leading, 2},
                                                             {Operation::find_leading_shift, 2},
                                                             {Operation::leading_zeros, 2},
                                                             {Operation::population, 2},
                                                             {Operation::bit_reverse, 2},
                                                             {Operation::reciprocal, 2},
                                                             {Operation::square_root, 2},
                                                             {Operation::reciprocal_square_root, 2},
                                                             {Operation::sine, 2},
                                                             {Operation::cosine, 2},
                                                             {Operation::logarithm_2, 2},
                                                             {Operation::exponential_2, 2},
                                                             {Operation::hyperbolic_tangent, 2}};
  const auto expected = kOperands.find(operation);
  if (operand_count() != (expected == kOperands.end() ? 3 : expected->second)) {
    throw Contradiction{"a wrong number of operands"};
  }
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_multiply(bool add, Modifiers& modifiers) {
  Variant variant;
  const bool wide = modifiers.take("wide"), high = modifiers.take("hi");
  const bool carry_out = modifiers.take("cc");
  modifiers.take("lo");
  variant.rounding = take_rounding(modifiers);
  variant.flush = modifiers.take("ftz");
  variant.saturate = modifiers.take("sat");
  const Type type = need_type(modifiers);
  const bool floating = type == Type::f32 || type == Type::f64;
  Operation operation = add ? (wide   ? Operation::multiply_add_wide
                               : high ? Operation::multiply_add_high
                                      : Operation::multiply_add_low)
                            : (wide   ? Operation::multiply_wide
                               : high ? Operation::multiply_high
                                      : Operation::multiply_low);
  if (floating && add) operation = Operation::fused_multiply_add;
  if (carry_out) {
    operation = high ? Operation::multiply_add_high_carry : Operation::multiply_add_low_carry;
    variant.carry_out = true;
  }
  Instruction instruction = begin_instruction();
  instruction.execute = table_.arithmetic(operation, type, variant);
  // The wide forms take operands of half the result's width; 16-bit operands give 32 bits, which share their
  // rows.
  const bool result_wide = wide ? ptx::bytes_of(type) == 4 : is_wide(type);
  instruction.destination = written_row(operand(0), result_wide);
  instruction.a = source_row(operand(1), type);
  instruction.b = source_row(operand(2), type);
  if (add) instruction.c = source_row(operand(3), result_wide ? Type::u64 : wide ? Type::u32 : type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_carry(Modifiers& modifiers) {
  const std::string& opcode = current_->opcode;
  Variant variant;
  variant.carry_in = opcode == "addc" || opcode == "subc" || opcode == "madc";
  variant.carry_out = modifiers.take("cc");
  if (!variant.carry_in && !variant.carry_out) throw NotSupported{};
  const bool multiply = opcode == "madc";
  const bool high = modifiers.take("hi");
  modifiers.take("lo");
  const Type type = need_type(modifiers);
  const Operation operation =
      multiply ? (high ? Operation::multiply_add_high_carry : Operation::multiply_add_low_carry)
      : opcode == "add" || opcode == "addc" ? Operation::add_carry
                                            : Operation::subtract_carry;
  Instruction instruction = begin_instruction();
  instruction.execute = table_.arithmetic(operation, type, variant);
  instruction.destination = written_row(operand(0), is_wide(type));
  instruction.a = source_row(operand(1), type);
  instruction.b = source_row(operand(2), type);
  if (multiply) instruction.c = source_row(operand(3), type);
  finish(modifiers, instruction);
}

// --- comparisons and selections ---

void FunctionDecoder::decode_compare(Modifiers& modifiers, bool to_value) {
  using enum Comparison;
  const std::optional<Comparison> comparison =
      modifiers.take_one<Comparison>({{"eq", equal},
                                      {"ne", not_equal},
                                      {"lt", less},
                                      {"le", less_equal},
                                      {"gt", greater},
                                      {"ge", greater_equal},
                                      {"lo", less},
                                      {"ls", less_equal},
                                      {"hi", greater},
                                      {"hs", greater_equal},
                                      {"equ", equal_unordered},
                                      {"neu", not_equal_unordered},
                                      {"ltu", less_unordered},
                                      {"leu", less_equal_unordered},
                                      {"gtu", greater_unordered},
                                      {"geu", greater_equal_unordered},
                                      {"num", both_numbers},
                                      {"nan", any_nan}});
  if (!comparison) throw NotSupported{};
  const Combination combination = modifiers
                                      .take_one<Combination>({{"and", Combination::conjunction},
                                                              {"or", Combination::disjunction},
                                                              {"xor", Combination::exclusive}})
                                      .value_or(Combination::none);
  Variant variant;
  variant.comparison = *comparison;
  modifiers.take("ftz");
  const Type first = need_type(modifiers);
  const Type compared = to_value ? need_type(modifiers) : first;
  variant.source = compared;
  Instruction instruction = begin_instruction();
  instruction.execute =
      table_.arithmetic(to_value ? Operation::compare_to_value : Operation::compare, first, variant);
  instruction.detail = static_cast<std::uint16_t>(combination);
  const Operand& result = operand(0);
  if (to_value) {
    if (first == Type::f32) instruction.detail |= 0x100;
    instruction.destination = written_row(result, false);
  } else if (result.kind == Kind::pair) {
    if (result.elements.size() != 2) throw Contradiction{"two predicates are needed"};
    if (result.elements[0].kind != Kind::sink) instruction.destination = predicate(result.elements[0]);
    if (result.elements[1].kind != Kind::sink) instruction.vector[0] = predicate(result.elements[1]);
  } else {
    instruction.destination = predicate(result);
  }
  instruction.a = source_row(operand(1), compared);
  instruction.b = source_row(operand(2), compared);
  if (combination != Combination::none) {
    instruction.vector[1] = predicate(operand(3));
    if (operand(3).negated) instruction.reads_flags |= 8;
  }
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_select(Modifiers& modifiers) {
  modifiers.take("ftz");
  const Type type = need_type(modifiers);
  Variant variant;
  Instruction instruction = begin_instruction();
  if (current_->opcode == "slct") {
    variant.source = need_type(modifiers);
    instruction.execute = table_.arithmetic(Operation::select_by_sign, type, variant);
    instruction.c = source_row(operand(3), variant.source);
  } else {
    instruction.execute = table_.arithmetic(Operation::select, type, variant);
    instruction.c = predicate(operand(3));
    if (operand(3).negated) instruction.reads_flags |= 4;
  }
  instruction.destination = written_row(operand(0), is_wide(type));
  instruction.a = source_row(operand(1), type);
  instruction.b = source_row(operand(2), type);
  finish(modifiers, instruction);
}

// --- moves and conversions ---

void FunctionDecoder::decode_move(Modifiers& modifiers) {
  const Type type = need_type(modifiers);
  Instruction instruction = begin_instruction();
  const auto narrow_elements = [&](const Operand& list) {
    const std::size_t parts = list.elements.size();
    const unsigned bytes = ptx::bytes_of(type);
    if ((parts != 2 && parts != 4) || bytes == 0 || bytes % parts != 0 || bytes > 8 || bytes / parts > 4) {
      throw NotSupported{};
    }
    instruction.width = static_cast<std::uint8_t>(bytes / parts);
    instruction.detail = static_cast<std::uint16_t>(parts);
  };
  if (type == Type::pred) {
    instruction.destination = predicate(operand(0));
    if (operand(1).kind == Kind::immediate) {
      // p xor p is false, p xor !p is true.
      instruction.execute = table_.arithmetic(Operation::xor_predicate, type, {});
      instruction.a = instruction.b = instruction.destination;
      instruction.reads_flags = operand(1).bits != 0 ? 2 : 0;
    } else {
      instruction.execute = table_.arithmetic(Operation::move_predicate, type, {});
      instruction.a = predicate(operand(1));
      if (operand(1).negated) instruction.reads_flags = 1;
    }
  } else if (operand(1).kind == Kind::list) {
    narrow_elements(operand(1));
    instruction.execute = table_.pack;
    instruction.destination = written_row(operand(0), is_wide(type));
    for (std::size_t k = 0; k < operand(1).elements.size(); ++k) {
      instruction.vector[k] = source_row(operand(1).elements[k], Type::u32);
    }
  } else if (operand(0).kind == Kind::list) {
    narrow_elements(operand(0));
    instruction.execute = table_.unpack;
    instruction.a = source_row(operand(1), type);
    for (std::size_t k = 0; k < operand(0).elements.size(); ++k) {
      instruction.vector[k] = destination(operand(0).elements[k], false);
    }
  } else if (operand(1).kind == Kind::special && operand(1).name != "WARP_SZ") {
    instruction.execute = need(table_.special(operand(1).name, is_wide(type)));
    instruction.destination = written_row(operand(0), is_wide(type));
  } else {
    // Floating-point registers move as bits.
    const Type bits = is_wide(type) ? Type::b64 : Type::b32;
    instruction.execute = table_.arithmetic(Operation::move, bits, {});
    instruction.a = source_row(operand(1), type);
    instruction.destination = written_row(operand(0), is_wide(type));
  }
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_convert(Modifiers& modifiers) {
  Variant variant;
  const std::optional<Rounding> integral = modifiers.take_one<Rounding>(
      {{"rni", Rounding::nearest}, {"rzi", Rounding::zero}, {"rmi", Rounding::down}, {"rpi", Rounding::up}});
  variant.integral = integral.has_value();
  variant.rounding = integral ? *integral : take_rounding(modifiers);
  modifiers.take("ftz");
  variant.saturate = modifiers.take("sat");
  const Type to = need_type(modifiers);
  variant.source = need_type(modifiers);
  Instruction instruction = begin_instruction();
  instruction.execute = table_.convert(to, variant);
  // A register may be wider than the type: bytes live in 16- and 32-bit registers.
  instruction.destination = written_row(operand(0), is_wide(to));
  instruction.a = source_row(operand(1), variant.source);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_address_conversion(Modifiers& modifiers) {
  const bool to_space = modifiers.take("to");
  const std::optional<Space> space = take_space(modifiers);
  const Type type = need_type(modifiers);
  if (!space || !is_wide(type)) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.destination = written_row(operand(0), true);
  instruction.a = source_row(operand(1), type);
  const std::uint64_t window = *space == Space::shared  ? kSharedWindow
                               : *space == Space::local ? kLocalWindow
                               : *space == Space::param ? kParameterWindow
                                                        : 0;
  if (window == 0) {
    instruction.execute = table_.arithmetic(Operation::move, Type::b64, {});
  } else {
    instruction.execute = table_.arithmetic(to_space ? Operation::subtract : Operation::add, Type::u64, {});
    instruction.b = constant(window, true);
  }
  finish(modifiers, instruction);
}

}  // namespace lockstep::emulator
