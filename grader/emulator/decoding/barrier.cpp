// Barriers of a block and of a cluster, and mbarrier. PTX ISA 9.7.13.1 to 9.7.13.4, 9.7.13.15.
#include "emulator/execution/barrier.h"

#include <algorithm>
#include <cstdint>

#include "emulator/decoding/function_decoder.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/mbarrier.h"

namespace lockstep::emulator::decoding {

namespace mbarrier = execution::mbarrier;

using execution::BarrierOperation;

/// bar and barrier: row a is the barrier's number, row b how many threads it waits for (none: all of the
/// block), predicate c what a thread votes. The scheduler does the waiting.
void FunctionDecoder::decode_barrier(Modifiers& modifiers) {
  Instruction instruction = begin_instruction();
  if (modifiers.take("warp")) {
    if (!modifiers.take("sync")) throw NotSupported{};
    instruction.vector[1] = source_row(operand(0), Type::u32);
    instruction.execute = table_.warp_wide(WarpOperation::synchronise, Type::b32);
    return finish(modifiers, instruction);
  }
  if (modifiers.take("cluster")) return decode_cluster_barrier(modifiers);
  modifiers.take("cta");
  modifiers.take("aligned");
  instruction.execute = table_.none;
  if (modifiers.take("red")) {
    using enum BarrierOperation;
    const std::optional<BarrierOperation> operation =
        modifiers.take_one<BarrierOperation>({{"popc", count_votes}, {"and", all_votes}, {"or", any_vote}});
    const std::optional<Type> type = modifiers.take_type();
    if (!operation || type != (*operation == count_votes ? Type::u32 : Type::pred)) throw NotSupported{};
    instruction.detail = static_cast<std::uint16_t>(*operation);
    instruction.destination =
        *operation == count_votes ? written_row(operand(0), false) : predicate(operand(0));
    instruction.a = source_row(operand(1), Type::u32);
    const Operand& vote = operand(operand_count() - 1);
    if (operand_count() == 4) instruction.b = source_row(operand(2), Type::u32);
    if (operand_count() < 3 || operand_count() > 4) throw NotSupported{};
    instruction.c = predicate(vote);
    instruction.reads_flags = vote.negated ? 4 : 0;
    instruction.execute = execution::take_votes;
    return finish(modifiers, instruction);
  }
  const bool arrives = modifiers.take("arrive");
  if (!arrives && !modifiers.take("sync")) throw NotSupported{};
  instruction.detail =
      static_cast<std::uint16_t>(arrives ? BarrierOperation::arrive : BarrierOperation::wait);
  instruction.a = source_row(operand(0), Type::u32);
  if (arrives || operand_count() > 1) instruction.b = source_row(operand(1), Type::u32);
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_cluster_barrier(Modifiers& modifiers) {
  Instruction instruction = begin_instruction();
  const bool arrives = modifiers.take("arrive");
  if (!arrives && !modifiers.take("wait")) throw NotSupported{};
  if (arrives && modifiers.take("relaxed")) instruction.detail = mbarrier::kRelaxed;
  modifiers.take("release");
  modifiers.take("acquire");
  modifiers.take("aligned");
  instruction.execute = arrives ? execution::arrive_at_cluster : execution::leave_cluster_barrier;
  context_.kernel.orders_blocks = true;
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_shared_address(const Operand& address, Modifiers& modifiers,
                                            Instruction& instruction) {
  const std::optional<Space> space = take_space(modifiers);
  if (space && *space != Space::shared) throw NotSupported{};
  decode_address(address, space.value_or(Space::generic), instruction);
}

void FunctionDecoder::decode_mbarrier(Modifiers& modifiers) {
  constexpr std::uint32_t kWordBytes = 8;
  context_.narrowest_shared = std::min(context_.narrowest_shared, kWordBytes);
  if (modifiers.take("arrive")) return decode_mbarrier_arrive(modifiers, false);
  if (modifiers.take("arrive_drop")) return decode_mbarrier_arrive(modifiers, true);
  if (modifiers.take("test_wait") || modifiers.take("try_wait")) return decode_mbarrier_wait(modifiers);
  Instruction instruction = begin_instruction();
  if (modifiers.take("pending_count")) {
    instruction.destination = written_row(operand(0), false);
    instruction.a = source_row(operand(1), Type::b64);
    instruction.execute = execution::pending_count;
  } else if (modifiers.take("init")) {
    decode_shared_address(operand(0), modifiers, instruction);
    instruction.b = source_row(operand(1), Type::u32);
    instruction.execute = execution::init_mbarrier;
  } else if (modifiers.take("inval")) {
    decode_shared_address(operand(0), modifiers, instruction);
    instruction.execute = execution::invalidate_mbarrier;
  } else {
    const bool completes = modifiers.take("complete_tx");
    if (!completes && !modifiers.take("expect_tx")) throw NotSupported{};
    modifiers.take("relaxed");
    if (!modifiers.take("cta")) modifiers.take("cluster");
    decode_shared_address(operand(0), modifiers, instruction);
    instruction.c = source_row(operand(1), Type::u32);
    if (completes) instruction.detail |= mbarrier::kCompletesBytes;
    instruction.execute = execution::expect_bytes;
  }
  if (!modifiers.take("b64")) throw NotSupported{};
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_mbarrier_arrive(Modifiers& modifiers, bool drops) {
  Instruction instruction = begin_instruction();
  const bool expects = modifiers.take("expect_tx");
  if (drops) instruction.detail |= mbarrier::kDrops;
  if (modifiers.take("noComplete")) instruction.detail |= mbarrier::kCompletesNothing;
  if (modifiers.take("relaxed")) instruction.detail |= mbarrier::kRelaxed;
  modifiers.take("release");
  if (modifiers.take("cluster")) {
    instruction.detail |= mbarrier::kClusterScope;
    context_.kernel.orders_blocks = true;
  }
  modifiers.take("cta");
  if (!modifiers.take("b64")) throw NotSupported{};
  // Without a result the instruction may name none, or the sink.
  std::size_t next = 0;
  if (operand(0).kind != Kind::address) instruction.destination = destination(operand(next++), true);
  decode_shared_address(operand(next++), modifiers, instruction);
  if (expects) {
    instruction.c = source_row(operand(next++), Type::u32);
  } else if (operand_count() > next) {
    instruction.b = source_row(operand(next++), Type::u32);
  }
  if (operand_count() > next) throw NotSupported{};
  instruction.execute = execution::arrive_at_mbarrier;
  finish(modifiers, instruction);
}

/// A time limit changes nothing: a wait that fails returns at once, which is always allowed.
void FunctionDecoder::decode_mbarrier_wait(Modifiers& modifiers) {
  Instruction instruction = begin_instruction();
  const bool parity = modifiers.take("parity");
  if (parity) instruction.detail |= mbarrier::kParity;
  if (modifiers.take("relaxed")) instruction.detail |= mbarrier::kRelaxed;
  modifiers.take("acquire");
  if (modifiers.take("cluster")) {
    instruction.detail |= mbarrier::kClusterScope;
    context_.kernel.orders_blocks = true;
  }
  modifiers.take("cta");
  if (!modifiers.take("b64")) throw NotSupported{};
  instruction.destination = predicate(operand(0));
  decode_shared_address(operand(1), modifiers, instruction);
  instruction.b = source_row(operand(2), parity ? Type::u32 : Type::b64);
  if (operand_count() > 4) throw NotSupported{};
  if (operand_count() > 3) source_row(operand(3), Type::u32);
  instruction.execute = execution::wait_at_mbarrier;
  finish(modifiers, instruction);
}

/// mapa: an address of shared memory, plain or generic, as it is in another block of the cluster.
void FunctionDecoder::decode_map_to_rank(Modifiers& modifiers) {
  Instruction instruction = begin_instruction();
  const Type type = need_type(modifiers);
  if (type != Type::u32 && type != Type::u64) throw NotSupported{};
  const std::optional<Space> space = take_space(modifiers);
  if (space && *space != Space::shared) throw NotSupported{};
  instruction.destination = written_row(operand(0), is_wide(type));
  instruction.a = source_row(operand(1), type);
  if (is_wide(type)) instruction.detail |= access::kAddress64;
  instruction.b = source_row(operand(2), Type::u32);
  instruction.execute = execution::map_to_rank;
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_rank_of_address(Modifiers& modifiers) {
  Instruction instruction = begin_instruction();
  const Type type = need_type(modifiers);
  if (type != Type::u32 && type != Type::u64) throw NotSupported{};
  const std::optional<Space> space = take_space(modifiers);
  if (space && *space != Space::shared) throw NotSupported{};
  instruction.destination = written_row(operand(0), false);
  instruction.a = source_row(operand(1), type);
  if (is_wide(type)) instruction.detail |= access::kAddress64;
  instruction.execute = execution::rank_of_address;
  finish(modifiers, instruction);
}

}  // namespace lockstep::emulator::decoding
