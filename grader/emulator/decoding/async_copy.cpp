// Asynchronous copies: cp.async and cp.async.bulk. PTX ISA 9.7.9.25.
#include <algorithm>

#include "emulator/decoding/function_decoder.h"
#include "emulator/execution/async_copies.h"

namespace lockstep::emulator::decoding {
namespace {

bool is_shared(std::string_view word) { return word.starts_with("shared"); }

}  // namespace

void FunctionDecoder::decode_copy_async(Modifiers& modifiers) {
  if (!modifiers.take("async")) throw NotSupported{};
  if (modifiers.take("bulk")) return decode_copy_bulk(modifiers);
  if (modifiers.take("commit_group")) return decode_group(modifiers, execution::commit_copies, false);
  if (modifiers.take("wait_group")) return decode_group(modifiers, execution::wait_for_copies, true);
  if (modifiers.take("wait_all")) return decode_group(modifiers, execution::wait_for_all_copies, false);
  if (!modifiers.take("mbarrier")) return decode_copy_by_thread(modifiers);
  Instruction instruction = begin_instruction();
  if (!modifiers.take("arrive")) throw NotSupported{};
  if (modifiers.take("noinc")) instruction.detail |= execution::kExpectedArrival;
  if (!modifiers.take("b64")) throw NotSupported{};
  decode_shared_address(operand(0), modifiers, instruction);
  instruction.execute = execution::arrive_after_copies;
  finish(modifiers, instruction);
}

/// What commits a group, or waits until so many of them are left.
void FunctionDecoder::decode_group(Modifiers& modifiers, Handler handler, bool counts) {
  Instruction instruction = begin_instruction();
  if (counts) {
    if (operand(0).kind != Kind::immediate) throw Contradiction{"a constant number of groups is needed"};
    instruction.offset = static_cast<std::int64_t>(operand(0).bits & 0xFFFF'FFFF);
  }
  instruction.execute = handler;
  finish(modifiers, instruction);
}

Slot FunctionDecoder::address_row(const Operand& address, Space space, bool& wide) {
  Instruction parts = begin_instruction();
  decode_address(address, space, parts);
  wide = (parts.detail & access::kAddress64) != 0;
  if (parts.offset == 0) return parts.a;
  const Type type = wide ? Type::u64 : Type::u32;
  Instruction sum = begin_instruction();
  sum.execute = table_.arithmetic(Operation::add, type, {});
  sum.a = parts.a;
  sum.b = constant(static_cast<std::uint64_t>(parts.offset), wide);
  sum.destination = new_row(wide);
  emit(sum);
  return sum.destination;
}

void FunctionDecoder::decode_copy_by_thread(Modifiers& modifiers) {
  Instruction instruction = begin_instruction();
  const bool cached_in_l1 = !modifiers.take("cg");
  instruction.detail = ordering(modifiers);
  const auto& words = current_->modifiers;
  const auto shared = std::find_if(words.begin(), words.end(), is_shared);
  const bool to_shared = shared != words.end() && std::find(shared, words.end(), "global") != words.end();
  if (!modifiers.take("shared")) modifiers.take("shared::cta");
  if (!to_shared || !modifiers.take("global") || operand(2).kind != Kind::immediate) throw NotSupported{};
  decode_address(operand(0), Space::shared, instruction);
  bool wide = false;
  instruction.b = address_row(operand(1), Space::global, wide);
  if (!wide) throw NotSupported{};
  const std::uint64_t bytes = operand(2).bits;
  if (bytes != 16 && (!cached_in_l1 || (bytes != 4 && bytes != 8))) {
    throw Contradiction{"a copy of 4, 8 or 16 bytes is needed, and of 16 with .cg"};
  }
  instruction.width = static_cast<std::uint8_t>(bytes);
  context_.narrowest_shared = std::min<std::uint32_t>(context_.narrowest_shared, instruction.width);
  // A cache policy is a hint, which changes nothing here.
  const std::size_t operands = operand_count() - (modifiers.take("L2::cache_hint") ? 1 : 0);
  if (operands > 4) throw NotSupported{};
  if (operands > 3) {
    const Operand& source = operand(3);
    if (source.kind == Kind::reg && register_type(source) == Type::pred) {
      instruction.vector[0] = predicate(source);
      if (source.negated) instruction.reads_flags = 8;
    } else {
      instruction.c = source_row(source, Type::u32);
    }
  }
  instruction.execute = table_.copy_async;
  count_traffic(instruction);
  finish(modifiers, instruction);
}

/// Bulk copies without tensors, to one block each.
void FunctionDecoder::decode_copy_bulk(Modifiers& modifiers) {
  if (modifiers.take("commit_group")) return decode_group(modifiers, execution::commit_bulk_copies, false);
  if (modifiers.take("wait_group")) {
    modifiers.take("read");  // a copy reads and writes at the same time
    return decode_group(modifiers, execution::wait_for_bulk_copies, true);
  }
  Instruction instruction = begin_instruction();
  constexpr std::uint32_t kLeastWord = 4;  // of the race check: copies have whole words
  context_.narrowest_shared = std::min(context_.narrowest_shared, kLeastWord);
  const bool by_mbarrier = modifiers.take("mbarrier::complete_tx::bytes");
  if (!by_mbarrier && !modifiers.take("bulk_group")) throw NotSupported{};
  const std::size_t operands = operand_count() - (modifiers.take("L2::cache_hint") ? 1 : 0);
  if (operands != (by_mbarrier ? 4 : 3)) throw NotSupported{};
  // Destination and source, in this order.
  const auto& words = current_->modifiers;
  const auto from_global = std::find(words.begin(), words.end(), "global");
  const auto shared = std::find_if(words.begin(), words.end(), is_shared);
  if (shared == words.end()) throw NotSupported{};
  const bool to_global = from_global != words.end() && from_global < shared;
  const bool within_cluster = from_global == words.end();
  if (to_global == by_mbarrier) throw NotSupported{};
  for (const char* space : {"global", "shared::cluster", "shared::cta"}) modifiers.take(space);
  decode_address(operand(0), to_global ? Space::global : Space::shared, instruction);
  bool wide = false;
  instruction.b = address_row(operand(1), to_global || within_cluster ? Space::shared : Space::global, wide);
  if (to_global || within_cluster) {
    if (wide) instruction.detail |= execution::kWideSource;
  } else if (!wide) {
    throw NotSupported{};
  }
  if (to_global && (instruction.detail & access::kAddress64) == 0) throw NotSupported{};
  instruction.c = source_row(operand(2), Type::u32);
  if (by_mbarrier) {
    instruction.vector[0] = address_row(operand(3), Space::shared, wide);
    if (wide) instruction.detail |= execution::kWideMbarrier;
  }
  instruction.execute = to_global        ? execution::copy_bulk_to_global
                        : within_cluster ? execution::copy_bulk_from_shared
                                         : execution::copy_bulk_from_global;
  if (!within_cluster) count_traffic(instruction);
  finish(modifiers, instruction);
}

}  // namespace lockstep::emulator::decoding
