// Arithmetic, comparisons, selections and moves.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "emulator/decoding/float_modifiers.h"
#include "emulator/decoding/function_decoder.h"
#include "emulator/execution/cluster.h"

namespace lockstep::emulator::decoding {
namespace {

/// Special registers besides those that decoding itself knows or takes note of.
bool is_read_by_lanes(std::string_view name) {
  return name != "WARP_SZ" && !name.starts_with("reserved_smem") && !name.starts_with("envreg");
}

void take_integer_modifiers(Operation operation, ptx::Type type, Modifiers& modifiers, Variant& variant) {
  using ptx::Type;
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
      variant.saturate = type == Type::s32 && modifiers.take("sat");
      break;
    case Operation::minimum:
    case Operation::maximum:
      variant.rectify = (type == Type::s32 || type == Type::s16x2) && modifiers.take("relu");
      break;
    case Operation::bit_mask:
    case Operation::sign_extend:
      variant.saturate = modifiers.take("clamp");
      if (!variant.saturate) modifiers.take("wrap");
      break;
    default:
      break;
  }
}

}  // namespace

// --- arithmetic ---

void FunctionDecoder::decode_arithmetic(Modifiers& modifiers) {
  const Operation operation = row_->operation;
  const Type type = need_type(modifiers);
  if (type == Type::pred) return decode_logic(operation, modifiers);
  const bool extreme = operation == Operation::minimum || operation == Operation::maximum;
  if (extreme && operand_count() == 4) throw NotSupported{};  // of three f32, as PTX ISA 8.8 has it
  Variant variant;
  if (is_floating(type)) {
    take_float_modifiers(operation, type, modifiers, variant);
  } else {
    take_integer_modifiers(operation, type, modifiers, variant);
  }
  finish_arithmetic(modifiers, operation, type, variant, is_half(type) ? narrow_flags(variant) : 0);
}

void FunctionDecoder::finish_arithmetic(const Modifiers& modifiers, Operation operation, Type type,
                                        const Variant& variant, std::uint16_t detail) {
  Instruction instruction = begin_instruction();
  if (operand(0).kind == Kind::pair) throw NotSupported{};  // lop3 with a predicate
  instruction.execute = table_.arithmetic(operation, type, variant);
  instruction.detail = detail;
  const auto& kinds = row_->operands.kinds;
  instruction.destination =
      written_row(operand(0), kinds[0] == instructions::OperandKind::typed && is_wide(type));
  const std::array places = {&instruction.a, &instruction.b, &instruction.c, &instruction.vector[0]};
  for (std::size_t k = 1; k < std::min(operand_count(), row_->operands.most); ++k) {
    if (kinds[k] == instructions::OperandKind::immediate) {
      if (operand(k).kind != Kind::immediate) throw NotSupported{};
      instruction.detail = static_cast<std::uint16_t>(operand(k).bits & 0xFF);
    } else {
      *places[k - 1] = source_row(operand(k), kinds[k] == instructions::OperandKind::word ? Type::u32 : type);
    }
  }
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_dot_product(Modifiers& modifiers) {
  Operation operation = row_->operation;
  const Type type = need_type(modifiers);
  Variant variant;
  variant.source = need_type(modifiers);
  if (operation == Operation::dot_product_2_low) {
    if (modifiers.take("hi")) operation = Operation::dot_product_2_high;
    modifiers.take("lo");
  }
  finish_arithmetic(modifiers, operation, type, variant);
}

void FunctionDecoder::decode_find_leading(Modifiers& modifiers) {
  const Type type = need_type(modifiers);
  const bool amount = modifiers.take("shiftamt");
  finish_arithmetic(modifiers, amount ? Operation::find_leading_shift : Operation::find_leading, type, {});
}

void FunctionDecoder::decode_funnel_shift(Modifiers& modifiers) {
  using enum Operation;
  const bool left = modifiers.take("l");
  if (!left && !modifiers.take("r")) throw NotSupported{};
  const bool clamp = modifiers.take("clamp");
  if (!clamp && !modifiers.take("wrap")) throw NotSupported{};
  const Operation operation = left ? (clamp ? funnel_left_clamp : funnel_left_wrap)
                                   : (clamp ? funnel_right_clamp : funnel_right_wrap);
  finish_arithmetic(modifiers, operation, need_type(modifiers), {});
}

void FunctionDecoder::decode_permutation(Modifiers& modifiers) {
  const std::optional<std::uint16_t> mode = modifiers.take_one<std::uint16_t>(
      {{"f4e", 0}, {"b4e", 1}, {"rc8", 2}, {"ecl", 3}, {"ecr", 4}, {"rc16", 5}});
  const Type type = need_type(modifiers);
  finish_arithmetic(modifiers, mode ? Operation::permute_mode : Operation::permute, type, {},
                    mode.value_or(0));
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

void FunctionDecoder::decode_multiply(Modifiers& modifiers) {
  const bool add = row_->operation == Operation::multiply_add_low;
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

void FunctionDecoder::decode_multiply_24(Modifiers& modifiers) {
  const bool add = row_->operation == Operation::multiply_add_24;
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
  const std::string_view opcode = row_->word;
  const auto operation = kOperations.find(opcode.substr(0, opcode.size() - 1));
  if (operation == kOperations.end()) throw NotSupported{};
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
  instruction.execute = table_.arithmetic(row_->operation, Type::u32, {});
  instruction.destination = written_row(operand(0), false);
  instruction.a = source_row(operand(1), Type::u32);
  instruction.b = source_row(operand(2), Type::u32);
  instruction.c = source_row(operand(3), Type::u32);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_carry(Modifiers& modifiers) {
  Variant variant;
  variant.carry_in = row_->decoder == Decoder::carry;
  variant.carry_out = modifiers.take("cc");
  Operation operation = row_->operation;
  if (operation == Operation::add) operation = Operation::add_carry;
  if (operation == Operation::subtract) operation = Operation::subtract_carry;
  const bool multiply = operation == Operation::multiply_add_low_carry;
  if (modifiers.take("hi") && multiply) operation = Operation::multiply_add_high_carry;
  modifiers.take("lo");
  const Type type = need_type(modifiers);
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
    instruction.execute = table_.arithmetic(row_->operation, first, variant);
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
  if (row_->operation == Operation::select_by_sign) {
    variant.source = need_type(modifiers);
    variant.flush = variant.source == Type::f32 && modifiers.take("ftz");
    instruction.c = source_row(operand(3), variant.source);
  } else {
    instruction.c = predicate(operand(3));
    if (operand(3).negated) instruction.reads_flags |= 4;
  }
  instruction.execute = table_.arithmetic(row_->operation, type, variant);
  instruction.destination = written_row(operand(0), is_wide(type));
  instruction.a = source_row(operand(1), type);
  instruction.b = source_row(operand(2), type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_property_test(Modifiers& modifiers) {
  const std::optional<std::uint16_t> property = modifiers.take_one<std::uint16_t>(
      {{"finite", 0}, {"infinite", 1}, {"number", 2}, {"notanumber", 3}, {"normal", 4}, {"subnormal", 5}});
  const Type type = need_type(modifiers);
  if (!property) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.execute = table_.arithmetic(row_->operation, type, {});
  instruction.detail = *property;
  instruction.destination = predicate(operand(0));
  instruction.a = source_row(operand(1), type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_space_test(Modifiers& modifiers) {
  const std::optional<Space> space = take_space(modifiers);
  if (!space) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.execute = table_.space_test;
  instruction.detail = static_cast<std::uint16_t>(*space);
  instruction.destination = predicate(operand(0));
  instruction.a = source_row(operand(1), Type::u64);
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
      instruction.execute = execution::test_cluster_launch;
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

}  // namespace lockstep::emulator::decoding
