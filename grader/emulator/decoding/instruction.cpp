// Which group an instruction belongs to, by its opcode.
#include "emulator/decoding/function_decoder.h"

#include <algorithm>
#include <unordered_map>

#include "emulator/execution/barrier.h"

namespace lockstep::emulator {

void FunctionDecoder::decode_instruction() {
  using enum Operation;
  static const std::unordered_map<std::string_view, Operation> kArithmetic = {
      {"add", add},
      {"sub", subtract},
      {"div", divide},
      {"rem", remainder},
      {"abs", absolute},
      {"neg", negate},
      {"min", minimum},
      {"max", maximum},
      {"sad", absolute_difference},
      {"and", bit_and},
      {"or", bit_or},
      {"xor", bit_xor},
      {"not", bit_not},
      {"cnot", logical_not},
      {"shl", shift_left},
      {"shr", shift_right},
      {"lop3", lookup_3},
      {"bfe", bit_extract},
      {"bfi", bit_insert},
      {"bmsk", bit_mask},
      {"bfind", find_leading},
      {"clz", leading_zeros},
      {"popc", population},
      {"brev", bit_reverse},
      {"szext", sign_extend},
      {"dp4a", dot_product_4},
      {"dp2a", dot_product_2_low},
      {"fma", fused_multiply_add},
      {"rcp", reciprocal},
      {"sqrt", square_root},
      {"rsqrt", reciprocal_square_root},
      {"sin", sine},
      {"cos", cosine},
      {"lg2", logarithm_2},
      {"ex2", exponential_2},
      {"tanh", hyperbolic_tangent},
      {"copysign", copy_sign},
      {"fns", find_nth_set}};
  const std::string& opcode = current_->opcode;
  Modifiers modifiers(*current_);
  const auto has = [this](std::string_view word) { return current_->has(word); };

  if (opcode == "ld" || opcode == "ldu") return decode_load_store(modifiers, false);
  if (opcode == "st") return decode_load_store(modifiers, true);
  if (opcode == "mov") return decode_move(modifiers);
  if (opcode == "setp") return decode_compare(modifiers, false);
  if (opcode == "set") return decode_compare(modifiers, true);
  if (opcode == "selp" || opcode == "slct") return decode_select(modifiers);
  if (opcode == "cvt") return decode_convert(modifiers);
  if (opcode == "cvta") return decode_address_conversion(modifiers);
  if (opcode == "mul") return decode_multiply(false, modifiers);
  if (opcode == "mad") return decode_multiply(true, modifiers);
  if (opcode == "mul24" || opcode == "mad24") return decode_multiply_24(opcode == "mad24", modifiers);
  if (opcode == "addc" || opcode == "subc" || opcode == "madc" ||
      ((opcode == "add" || opcode == "sub") && has("cc"))) {
    return decode_carry(modifiers);
  }
  if (opcode == "shf") {
    const bool left = modifiers.take("l");
    if (!left && !modifiers.take("r")) throw NotSupported{};
    const bool clamp = modifiers.take("clamp");
    if (!clamp && !modifiers.take("wrap")) throw NotSupported{};
    return decode_arithmetic(left ? (clamp ? funnel_left_clamp : funnel_left_wrap)
                                  : (clamp ? funnel_right_clamp : funnel_right_wrap),
                             modifiers);
  }
  if (opcode == "prmt") {
    const std::optional<std::uint16_t> mode = modifiers.take_one<std::uint16_t>(
        {{"f4e", 0}, {"b4e", 1}, {"rc8", 2}, {"ecl", 3}, {"ecr", 4}, {"rc16", 5}});
    decode_arithmetic(mode ? permute_mode : permute, modifiers);
    if (mode) function_.instructions.back().detail = *mode;
    return;
  }
  if (opcode == "testp") {
    const std::optional<std::uint16_t> property = modifiers.take_one<std::uint16_t>(
        {{"finite", 0}, {"infinite", 1}, {"number", 2}, {"notanumber", 3}, {"normal", 4}, {"subnormal", 5}});
    const Type type = need_type(modifiers);
    if (!property) throw NotSupported{};
    Instruction instruction = begin_instruction();
    instruction.execute = table_.arithmetic(test_property, type, {});
    instruction.detail = *property;
    instruction.destination = predicate(operand(0));
    instruction.a = source_row(operand(1), type);
    return finish(modifiers, instruction);
  }
  if (opcode == "isspacep") {
    const std::optional<Space> space = take_space(modifiers);
    if (!space) throw NotSupported{};
    Instruction instruction = begin_instruction();
    instruction.execute = table_.space_test;
    instruction.detail = static_cast<std::uint16_t>(*space);
    instruction.destination = predicate(operand(0));
    instruction.a = source_row(operand(1), Type::u64);
    return finish(modifiers, instruction);
  }
  if (opcode == "atom") return decode_atomic(modifiers, true);
  if (opcode == "red") {
    if (has("async")) throw NotSupported{};
    return decode_atomic(modifiers, false);
  }
  if (opcode == "shfl") return decode_shuffle(modifiers);
  if (opcode == "vote") return decode_vote(modifiers);
  if (opcode == "match") return decode_match(modifiers);
  if (opcode == "redux") return decode_reduce(modifiers);
  if (opcode == "bar" || opcode == "barrier") return decode_barrier(modifiers);
  if (opcode == "activemask") {
    Instruction instruction = begin_instruction();
    modifiers.take_type();
    instruction.execute = table_.warp_wide(WarpOperation::active_mask, Type::b32);
    instruction.destination = written_row(operand(0), false);
    return finish(modifiers, instruction);
  }
  if (opcode == "elect") {
    if (!modifiers.take("sync")) throw NotSupported{};
    Instruction instruction = begin_instruction();
    instruction.execute = table_.warp_wide(WarpOperation::elect, Type::b32);
    const Operand& result = operand(0);
    if (result.kind != Kind::pair) throw NotSupported{};
    instruction.destination = destination(result.elements.at(0), false);
    if (result.elements.at(1).kind != Kind::sink) instruction.vector[0] = predicate(result.elements[1]);
    instruction.vector[1] = source_row(operand(1), Type::u32);
    return finish(modifiers, instruction);
  }
  if (opcode == "membar" || (opcode == "fence" && !has("proxy") && !has("mbarrier_init"))) {
    Instruction instruction = begin_instruction();
    const bool block_alone = has("cta");
    instruction.execute = block_alone ? table_.block_fence : table_.fence;
    context_.kernel.orders_blocks |= !block_alone;
    emit(instruction);
    return;
  }
  if (opcode.size() > 2 && opcode[0] == 'v' && (opcode.back() == '2' || opcode.back() == '4')) {
    return decode_video(modifiers);
  }
  if (opcode == "cp" && modifiers.take("async")) return decode_copy_async(modifiers);
  if (opcode == "mma" || opcode == "wmma") return decode_matrix(modifiers);
  if (opcode == "ldmatrix" || opcode == "stmatrix")
    return decode_matrix_rows(modifiers, opcode == "stmatrix");
  if (opcode == "movmatrix") return decode_matrix_transpose(modifiers);
  if (opcode == "mbarrier") return decode_mbarrier(modifiers);
  if (opcode == "mapa") return decode_map_to_rank(modifiers);
  if (opcode == "getctarank") return decode_rank_of_address(modifiers);
  // Every operation is seen by all as it is done, whichever proxy does it.
  if (opcode == "fence" && (has("mbarrier_init") || has("proxy"))) return decode_nothing();
  // Registers are not handed between warps here, and launches run one after the other.
  if (opcode == "setmaxnreg" || opcode == "griddepcontrol") return decode_nothing();
  if (opcode == "prefetch" || opcode == "prefetchu" || opcode == "pmevent") return decode_nothing();
  if (opcode == "nanosleep") {
    Instruction instruction = begin_instruction();
    instruction.execute = let_others_run;
    emit(instruction);
    return;
  }
  if (opcode == "tex" || opcode == "tld4") return decode_texture(modifiers, opcode == "tld4");
  if (opcode == "suld" || opcode == "sust") return decode_surface(modifiers, opcode == "sust");
  if (opcode == "txq" || opcode == "suq") return decode_image_query(modifiers, opcode == "txq");
  const auto arithmetic = kArithmetic.find(opcode);
  if (arithmetic == kArithmetic.end()) throw NotSupported{};
  decode_arithmetic(arithmetic->second, modifiers);
}

}  // namespace lockstep::emulator
