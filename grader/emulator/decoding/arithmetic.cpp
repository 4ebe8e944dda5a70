// Arithmetic, comparisons, selections and moves.
#include <map>
#include <string_view>

#include "emulator/decoding/float_modifiers.h"
#include "emulator/decoding/function_decoder.h"
#include "emulator/execution/cluster.h"

namespace lockstep::emulator {
namespace {

/// Special registers besides those that decoding itself knows or takes note of.
bool is_read_by_lanes(std::string_view name) {
  return name != "WARP_SZ" && !name.starts_with("reserved_smem") && !name.starts_with("envreg");
}

}  // namespace

// --- arithmetic ---

void FunctionDecoder::decode_arithmetic(Operation operation, Modifiers& modifiers) {
  Variant variant;
  const Type type = need_type(modifiers);
  if (type == Type::pred) return decode_logic(operation, modifiers);
  if (is_floating(type)) {
    take_float_modifiers(operation, type, modifiers, variant);
  } else if (operation == Operation::add || operation == Operation::subtract) {
    variant.saturate = type == Type::s32 && modifiers.take("sat");
  } else if (operation == Operation::minimum || operation == Operation::maximum) {
    variant.rectify = (type == Type::s32 || type == Type::s16x2) && modifiers.take("relu");
  } else if (operation == Operation::bit_mask || operation == Operation::sign_extend) {
    variant.saturate = modifiers.take("clamp");
    if (!variant.saturate) modifiers.take("wrap");
  }
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
  if (this->operand(0).kind == Kind::pair) throw NotSupported{};  // lop3 with a predicate
  instruction.execute = table_.arithmetic(operation, type, variant);
  if (is_half(type)) instruction.detail = narrow_flags(variant);
  const bool counts = operation == Operation::population || operation == Operation::leading_zeros ||
                      operation == Operation::find_leading || operation == Operation::find_leading_shift;
  instruction.destination = written_row(this->operand(0), counts ? false : is_wide(type));
  instruction.a = source_row(this->operand(1), type);
  const bool shifts = operation == Operation::shift_left || operation == Operation::shift_right ||
                      operation == Operation::bit_extract;
  if (operand_count() > 2) instruction.b = source_row(this->operand(2), shifts ? Type::u32 : type);
  if (operand_count() > 3) {
    // PTX ISA 8.6 has min and max of three.
    if (operation == Operation::minimum || operation == Operation::maximum) throw NotSupported{};
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
                                                             {Operation::find_nth_set, 4},
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

/// and, or, xor and not of predicates, of which one may be a constant.
void FunctionDecoder::decode_logic(Operation operation, Modifiers& modifiers) {
  static const std::map<Operation, Operation> kLogic = {{Operation::bit_and, Operation::and_predicate},
                                                        {Operation::bit_or, Operation::or_predicate},
                                                        {Operation::bit_xor, Operation::xor_predicate},
                                                        {Operation::bit_not, Operation::not_predicate}};
  const auto logic = kLogic.find(operation);
  if (logic == kLogic.end()) throw NotSupported{};
  const bool two = operation != Operation::bit_not;
  if (operand_count() != (two ? 3U : 2U)) throw Contradiction{"a wrong number of operands"};
  if (two && operand(1).kind == Kind::immediate) return decode_constant_logic(operation, 2, 1, modifiers);
  if (two && operand(2).kind == Kind::immediate) return decode_constant_logic(operation, 1, 2, modifiers);
  Instruction instruction = begin_instruction();
  instruction.execute = table_.arithmetic(logic->second, Type::pred, {});
  instruction.destination = predicate(operand(0));
  instruction.a = predicate(operand(1));
  instruction.reads_flags = operand(1).negated ? 1 : 0;
  if (two) {
    instruction.b = predicate(operand(2));
    instruction.reads_flags |= operand(2).negated ? 2 : 0;
  }
  finish(modifiers, instruction);
}

/// What is left of two operands when one is a constant: the other one, its negation, or a constant again.
void FunctionDecoder::decode_constant_logic(Operation operation, std::size_t variable, std::size_t constant,
                                            Modifiers& modifiers) {
  const bool value = operand(constant).bits != 0;
  const bool decides = operation == Operation::bit_and ? !value : operation == Operation::bit_or && value;
  const bool inverts = operation == Operation::bit_xor && value;
  Instruction instruction = begin_instruction();
  instruction.destination = predicate(operand(0));
  if (decides) {
    // p xor p is false, p xor !p is true.
    instruction.execute = table_.arithmetic(Operation::xor_predicate, Type::pred, {});
    instruction.a = instruction.b = instruction.destination;
    instruction.reads_flags = value ? 2 : 0;
  } else {
    instruction.execute = table_.arithmetic(Operation::move_predicate, Type::pred, {});
    instruction.a = predicate(operand(variable));
    instruction.reads_flags = operand(variable).negated != inverts ? 1 : 0;
  }
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_multiply(bool add, Modifiers& modifiers) {
  Variant variant;
  const bool wide = modifiers.take("wide"), high = modifiers.take("hi");
  const bool carry_out = modifiers.take("cc");
  modifiers.take("lo");
  const Type type = need_type(modifiers);
  const bool floating = is_floating(type);
  Operation operation = add ? (wide   ? Operation::multiply_add_wide
                               : high ? Operation::multiply_add_high
                                      : Operation::multiply_add_low)
                            : (wide   ? Operation::multiply_wide
                               : high ? Operation::multiply_high
                                      : Operation::multiply_low);
  if (floating) {
    if (wide || high || carry_out) throw NotSupported{};
    operation = add ? Operation::fused_multiply_add : Operation::multiply_low;
    take_float_modifiers(operation, type, modifiers, variant);
  } else {
    variant.saturate =
        operation == Operation::multiply_add_high && type == Type::s32 && modifiers.take("sat");
  }
  if (carry_out) {
    operation = high ? Operation::multiply_add_high_carry : Operation::multiply_add_low_carry;
    variant.carry_out = true;
  }
  Instruction instruction = begin_instruction();
  instruction.execute = table_.arithmetic(operation, type, variant);
  if (is_half(type)) instruction.detail = narrow_flags(variant);
  // The wide forms take operands of half the result's width; 16-bit operands give 32 bits, which share their
  // rows.
  const bool result_wide = wide ? ptx::bytes_of(type) == 4 : is_wide(type);
  instruction.destination = written_row(operand(0), result_wide);
  instruction.a = source_row(operand(1), type);
  instruction.b = source_row(operand(2), type);
  if (add) instruction.c = source_row(operand(3), result_wide ? Type::u64 : wide ? Type::u32 : type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_multiply_24(bool add, Modifiers& modifiers) {
  const bool high = modifiers.take("hi");
  if (!high && !modifiers.take("lo")) throw NotSupported{};
  const Type type = need_type(modifiers);
  Variant variant;
  variant.saturate = add && high && type == Type::s32 && modifiers.take("sat");
  const Operation operation = add ? (high ? Operation::multiply_add_24_high : Operation::multiply_add_24)
                                  : (high ? Operation::multiply_24_high : Operation::multiply_24);
  Instruction instruction = begin_instruction();
  instruction.execute = table_.arithmetic(operation, type, variant);
  instruction.destination = written_row(operand(0), false);
  instruction.a = source_row(operand(1), type);
  instruction.b = source_row(operand(2), type);
  if (add) instruction.c = source_row(operand(3), type);
  finish(modifiers, instruction);
}

/// vadd2 to vmax4 and vset, with all elements and without choosing among them.
void FunctionDecoder::decode_video(Modifiers& modifiers) {
  static const std::map<std::string_view, std::uint16_t> kOperations = {
      {"vadd", 0}, {"vsub", 1}, {"vavrg", 2}, {"vabsdiff", 3}, {"vmin", 4}, {"vmax", 5}, {"vset", 6}};
  const std::string_view opcode = current_->opcode;
  const auto operation = kOperations.find(opcode.substr(0, opcode.size() - 1));
  if (operation == kOperations.end() || (opcode.back() != '2' && opcode.back() != '4')) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.detail = operation->second;
  const bool compares = operation->first == "vset";  // its results are 0 and 1
  for (const std::uint16_t is_signed : {video::kSignedResult, video::kSignedA, video::kSignedB}) {
    if (compares && is_signed == video::kSignedResult) continue;
    const Type type = need_type(modifiers);
    if (type != Type::u32 && type != Type::s32) throw NotSupported{};
    if (type == Type::s32) instruction.detail |= is_signed;
  }
  if (compares) {
    const std::optional<unsigned> relation =
        modifiers.take_one<unsigned>({{"lt", 1}, {"eq", 2}, {"le", 3}, {"gt", 4}, {"ne", 5}, {"ge", 6}});
    if (!relation) throw NotSupported{};
    instruction.detail |= static_cast<std::uint16_t>(*relation << video::kComparisonShift);
  }
  if (!compares && modifiers.take("sat")) {
    instruction.detail |= video::kSaturate;
  } else if (modifiers.take("add")) {
    instruction.detail |= video::kAccumulate;
  }
  instruction.execute =
      table_.arithmetic(opcode.back() == '2' ? Operation::video_2 : Operation::video_4, Type::u32, {});
  instruction.destination = written_row(operand(0), false);
  instruction.a = source_row(operand(1), Type::u32);
  instruction.b = source_row(operand(2), Type::u32);
  instruction.c = source_row(operand(3), Type::u32);
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

namespace {

/// What set writes for true, in each half of a packed result.
std::uint32_t truth_of(ptx::Type result) {
  using ptx::Type;
  switch (result) {
    case Type::f32:
      return 0x3F80'0000;
    case Type::f16:
    case Type::f16x2:
      return 0x3C00'3C00;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3F80'3F80;
    case Type::u16:
    case Type::s16:
    case Type::u32:
    case Type::s32:
      return 0xFFFF'FFFF;
    default:
      throw NotSupported{};
  }
}

}  // namespace

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
  const Type first = need_type(modifiers);
  const Type compared = to_value ? need_type(modifiers) : first;
  const bool f16 = compared == Type::f16 || compared == Type::f16x2;
  variant.flush = (compared == Type::f32 || f16) && modifiers.take("ftz");
  variant.source = compared;
  Instruction instruction = begin_instruction();
  instruction.detail =
      static_cast<std::uint16_t>(static_cast<unsigned>(combination) << relation::kCombinationShift);
  if (is_half(compared) || variant.flush) {
    // The relations of unsigned integers have no meaning here.
    const std::string& word = current_->modifiers.front();
    if (word == "lo" || word == "ls" || word == "hi" || word == "hs") throw NotSupported{};
    instruction.execute = table_.compare_narrow(compared, to_value);
    instruction.detail |= static_cast<std::uint16_t>(
        narrow_flags(variant) | static_cast<unsigned>(*comparison) << relation::kComparisonShift);
  } else {
    instruction.execute =
        table_.arithmetic(to_value ? Operation::compare_to_value : Operation::compare, first, variant);
  }
  const Operand& result = operand(0);
  const bool packed = compared == Type::f16x2 || compared == Type::bf16x2;
  if (to_value) {
    const bool packed_result = first == Type::f16x2 || first == Type::bf16x2;
    if (packed_result && !packed) throw NotSupported{};
    instruction.c = constant(truth_of(first), false);
    instruction.destination = written_row(result, false);
  } else if (result.kind == Kind::pair) {
    if (result.elements.size() != 2) throw Contradiction{"two predicates are needed"};
    if (result.elements[0].kind != Kind::sink) instruction.destination = predicate(result.elements[0]);
    if (result.elements[1].kind != Kind::sink) instruction.vector[0] = predicate(result.elements[1]);
  } else {
    if (packed) throw Contradiction{"two predicates are needed"};
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
  const Type type = need_type(modifiers);
  Variant variant;
  Instruction instruction = begin_instruction();
  if (current_->opcode == "slct") {
    variant.source = need_type(modifiers);
    variant.flush = variant.source == Type::f32 && modifiers.take("ftz");
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

// --- moves ---

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
    } else if (operand(1).kind == Kind::special && operand(1).name == "is_explicit_cluster") {
      instruction.execute = test_cluster_launch;
    } else {
      if (operand(1).kind == Kind::special) throw NotSupported{};
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
  } else if (operand(1).kind == Kind::special && is_read_by_lanes(operand(1).name)) {
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
