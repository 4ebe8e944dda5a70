// What the lanes of a warp do together.
#include "emulator/decoding/function_decoder.h"

namespace lockstep::emulator::decoding {

void FunctionDecoder::decode_shuffle(Modifiers& modifiers) {
  using enum WarpOperation;
  if (!modifiers.take("sync")) throw NotSupported{};
  const std::optional<WarpOperation> operation = modifiers.take_one<WarpOperation>(
      {{"up", shuffle_up}, {"down", shuffle_down}, {"bfly", shuffle_butterfly}, {"idx", shuffle_index}});
  if (!operation) throw NotSupported{};
  const Type type = need_type(modifiers);
  Instruction instruction = begin_instruction();
  const Operand& result = operand(0);
  if (result.kind == Kind::pair) {
    instruction.destination = destination(result.elements.at(0), false);
    if (result.elements.at(1).kind != Kind::sink) instruction.vector[0] = predicate(result.elements[1]);
  } else {
    instruction.destination = destination(result, false);
  }
  instruction.a = source_row(operand(1), Type::b32);
  instruction.b = source_row(operand(2), Type::u32);
  instruction.c = source_row(operand(3), Type::u32);
  instruction.vector[1] = source_row(operand(4), Type::u32);
  instruction.execute = table_.warp_wide(*operation, type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_vote(Modifiers& modifiers) {
  using enum WarpOperation;
  if (!modifiers.take("sync")) throw NotSupported{};
  const std::optional<WarpOperation> operation = modifiers.take_one<WarpOperation>(
      {{"all", vote_all}, {"any", vote_any}, {"uni", vote_uniform}, {"ballot", vote_ballot}});
  const Type type = need_type(modifiers);
  if (!operation) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.destination =
      *operation == vote_ballot ? written_row(operand(0), false) : predicate(operand(0));
  instruction.a = predicate(operand(1));
  if (operand(1).negated) instruction.reads_flags = 1;
  instruction.vector[1] = source_row(operand(2), Type::u32);
  instruction.execute = table_.warp_wide(*operation, type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_match(Modifiers& modifiers) {
  const bool any = modifiers.take("any");
  if ((!any && !modifiers.take("all")) || !modifiers.take("sync")) throw NotSupported{};
  const Type type = need_type(modifiers);
  Instruction instruction = begin_instruction();
  const Operand& result = operand(0);
  if (result.kind == Kind::pair) {
    instruction.destination = written_row(result.elements.at(0), false);
    if (result.elements.at(1).kind != Kind::sink) instruction.vector[0] = predicate(result.elements[1]);
  } else {
    instruction.destination = written_row(result, false);
  }
  instruction.a = source_row(operand(1), type);
  instruction.vector[1] = source_row(operand(2), Type::u32);
  instruction.execute = table_.warp_wide(any ? WarpOperation::match_any : WarpOperation::match_all, type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_reduce(Modifiers& modifiers) {
  using enum WarpOperation;
  if (!modifiers.take("sync")) throw NotSupported{};
  const std::optional<WarpOperation> operation = modifiers.take_one<WarpOperation>({{"add", reduce_add},
                                                                                    {"min", reduce_minimum},
                                                                                    {"max", reduce_maximum},
                                                                                    {"and", reduce_and},
                                                                                    {"or", reduce_or},
                                                                                    {"xor", reduce_xor}});
  const Type type = need_type(modifiers);
  if (!operation || is_wide(type) || type == Type::f32) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.destination = written_row(operand(0), false);
  instruction.a = source_row(operand(1), type);
  instruction.vector[1] = source_row(operand(2), Type::u32);
  instruction.execute = table_.warp_wide(*operation, type);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_active_mask(Modifiers& modifiers) {
  modifiers.take_type();
  Instruction instruction = begin_instruction();
  instruction.execute = table_.warp_wide(WarpOperation::active_mask, Type::b32);
  instruction.destination = written_row(operand(0), false);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_election(Modifiers& modifiers) {
  if (!modifiers.take("sync")) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.execute = table_.warp_wide(WarpOperation::elect, Type::b32);
  const Operand& result = operand(0);
  if (result.kind != Kind::pair) throw NotSupported{};
  instruction.destination = destination(result.elements.at(0), false);
  if (result.elements.at(1).kind != Kind::sink) instruction.vector[0] = predicate(result.elements[1]);
  instruction.vector[1] = source_row(operand(1), Type::u32);
  finish(modifiers, instruction);
}

}  // namespace lockstep::emulator::decoding
