// Loads, stores and atomics.
#include <algorithm>

#include "emulator/decoding/float_modifiers.h"
#include "emulator/decoding/function_decoder.h"

namespace lockstep::emulator::decoding {

std::optional<ptx::Space> FunctionDecoder::take_space(Modifiers& modifiers) {
  // `shared::cta` and `shared::cluster` are one word each in PTX; an address says which block it means.
  return modifiers.take_one<Space>({{"global", Space::global},
                                    {"shared", Space::shared},
                                    {"shared::cta", Space::shared},
                                    {"shared::cluster", Space::shared},
                                    {"local", Space::local},
                                    {"const", Space::constant},
                                    {"param", Space::param},
                                    {"param::entry", Space::param},
                                    {"param::func", Space::param}});
}

void FunctionDecoder::decode_address(const Operand& address, Space space, Instruction& instruction) {
  if (address.kind != Kind::address || address.elements.empty()) throw Contradiction{"an address is needed"};
  const Operand& base = address.elements[0];
  instruction.offset = address.offset;
  if (base.kind == Kind::reg) {
    const bool wide = is_wide(register_type(base));
    instruction.a = register_row(base, wide);
    if (wide) instruction.detail |= access::kAddress64;
    return;
  }
  instruction.detail |= access::kAddress64;
  if (base.kind == Kind::immediate) {
    instruction.a = constant(base.bits, true);
    return;
  }
  if (base.kind != Kind::symbol) throw Contradiction{"an address of an unexpected form"};
  const auto local = local_offsets_.find(base.name);
  if (local != local_offsets_.end() && (space == Space::local || space == Space::param)) {
    instruction.a = frame_address(local->second, base.offset);
    return;
  }
  const std::optional<Slot> slot = symbol_row(base, true);
  if (!slot) throw Contradiction{"unknown symbol " + base.name};
  instruction.a = *slot;
}

void FunctionDecoder::count_traffic(Instruction& instruction) {
  charge(sizeof(counters::TrafficCounters) + sizeof(std::string) + source_.name.size());
  instruction.counter = static_cast<std::uint32_t>(context_.program.traffic_places.size());
  context_.program.traffic_places.push_back(place_);
  context_.program.traffic_functions.push_back(source_.name);
}

/// Of a load whose value some lanes drop: checks look only at the others.
void FunctionDecoder::limit_checks(const Operand& value, Instruction& load) const {
  const auto loads = context_.program.speculated_loads.find(&source_);
  if (loads == context_.program.speculated_loads.end() || value.kind != Kind::reg) return;
  const auto found = loads->second.find(value.index);
  if (found == loads->second.end()) return;
  load.detail |= access::kSpeculated;
  load.c = slot_of(found->second.predicate);
  if (found->second.negated) load.reads_flags |= 4;
}

/// Takes the modifiers that say how an access is ordered, and the hints about caches, which change nothing
/// here.
std::uint16_t FunctionDecoder::ordering(Modifiers& modifiers) {
  std::uint16_t detail = 0;
  if (modifiers.take("volatile")) detail |= access::kSynchronising | access::kVolatile;
  if (modifiers.take("relaxed") || modifiers.take("mmio")) detail |= access::kSynchronising;
  if (modifiers.take("acquire")) detail |= access::kSynchronising | access::kAcquire;
  if (modifiers.take("release")) detail |= access::kSynchronising | access::kRelease;
  if (modifiers.take("acq_rel")) detail |= access::kSynchronising | access::kAcquire | access::kRelease;
  modifiers.take("weak");
  const bool within_block = modifiers.take("cta");
  for (const char* scope : {"cluster", "gpu", "sys"}) modifiers.take(scope);
  if ((detail & (access::kAcquire | access::kRelease)) != 0 && !within_block) detail |= access::kBeyondBlock;
  for (const char* hint :
       {"nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal", "L1::evict_unchanged",
        "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B"}) {
    modifiers.take(hint);
  }
  if ((detail & access::kSynchronising) != 0) context_.kernel.orders_blocks = true;
  return detail;
}

void FunctionDecoder::decode_load_store(Modifiers& modifiers, bool is_store) {
  Instruction instruction = begin_instruction();
  instruction.detail = ordering(modifiers);
  Space space = take_space(modifiers).value_or(Space::generic);
  if (is_store && (space == Space::global || space == Space::generic) &&
      (instruction.detail & (access::kSynchronising | access::kRelease)) == access::kSynchronising) {
    context_.kernel.stores_unfenced = true;
  }
  const bool eight = modifiers.take("v8");
  const unsigned count = modifiers.take("v2") ? 2 : modifiers.take("v4") ? 4 : 1;
  const Type type = need_type(modifiers);
  if (eight) return decode_eight(modifiers, is_store, space, type, instruction);
  const Operand& values = operand(is_store ? 1 : 0);
  const Operand& address = operand(is_store ? 0 : 1);
  instruction.width = static_cast<std::uint8_t>(ptx::bytes_of(type) * count);
  instruction.detail |= static_cast<std::uint16_t>(count);
  const unsigned widest = space == Space::global ? 32 : 16;
  if (instruction.width == 0 || instruction.width > widest) throw NotSupported{};

  if ((values.kind == Kind::list) != (count > 1) || (count > 1 && values.elements.size() != count)) {
    throw Contradiction{"as many registers as elements are needed"};
  }
  // A register may be wider than the elements; all of one access have the same width.
  bool wide = is_wide(type);
  for (unsigned k = 0; k < count; ++k) {
    const Operand& value = count > 1 ? values.elements[k] : values;
    if (value.kind == Kind::reg) wide = is_wide(register_type(value));
  }
  const Type row_type = wide ? Type::b64 : Type::b32;
  for (unsigned k = 0; k < count; ++k) {
    const Operand& value = count > 1 ? values.elements[k] : values;
    const bool float_immediate =
        value.kind == Kind::immediate && value.immediate_type != Operand::ImmediateType::integer;
    instruction.vector[k] =
        is_store ? source_row(value, float_immediate ? type : row_type) : destination(value, wide);
  }

  const bool kernel_parameter = space == Space::param && address.kind == Kind::address &&
                                !address.elements.empty() && address.elements[0].kind == Kind::symbol &&
                                this->kernel_parameter(address.elements[0].name).has_value();
  if (kernel_parameter && !is_store) {
    const Operand& base = address.elements[0];
    instruction.offset = sum_of(*this->kernel_parameter(base.name),
                                sum_of(static_cast<std::uint64_t>(base.offset), address.offset));
    if (instruction.offset < 0 || static_cast<std::uint64_t>(instruction.offset) + instruction.width >
                                      context_.kernel.info.parameter_bytes) {
      throw Contradiction{"a read past the kernel's parameters"};
    }
    instruction.execute = table_.load_parameter(type, wide);
    return finish(modifiers, instruction);
  }
  decode_address(address, space, instruction);
  // Call-scoped parameters, and those of a device function, live in the frame's local memory.
  const bool frame_parameter =
      space == Space::param && !(source_.entry && address.elements[0].kind == Kind::reg);
  if (frame_parameter) space = Space::local;
  instruction.counter = program::kNoCounter;
  if (space != Space::param && !frame_parameter) count_traffic(instruction);
  if (space == Space::shared || space == Space::generic) {
    context_.narrowest_shared = std::min<std::uint32_t>(context_.narrowest_shared, instruction.width);
  }
  if (!is_store) {
    instruction.detail |= access::kIntoRegisters;
    limit_checks(values, instruction);
  }
  instruction.execute = is_store ? table_.store(space, type, wide) : table_.load(space, type, wide);
  finish(modifiers, instruction);
}

/// Eight elements of 32 bits, in global memory: four of 64 bits, whose halves are moved from or to the
/// registers.
void FunctionDecoder::decode_eight(Modifiers& modifiers, bool is_store, Space space, Type type,
                                   Instruction instruction) {
  constexpr unsigned kHalves = 2;
  if (space != Space::global || ptx::bytes_of(type) != 4 || type == Type::tf32) throw NotSupported{};
  const Operand& values = operand(is_store ? 1 : 0);
  if (values.kind != Kind::list || values.elements.size() != 8) {
    throw Contradiction{"as many registers as elements are needed"};
  }
  std::vector<Instruction> moves;
  for (unsigned k = 0; k < instruction.vector.size(); ++k) {
    Instruction& move = moves.emplace_back(begin_instruction());
    move.execute = is_store ? table_.pack : table_.unpack;
    move.width = 4;
    move.detail = kHalves;
    instruction.vector[k] = (is_store ? move.destination : move.a) = new_row(true);
    for (unsigned half = 0; half < kHalves; ++half) {
      const Operand& value = values.elements[kHalves * k + half];
      if (value.kind == Kind::reg && is_wide(register_type(value))) throw NotSupported{};
      move.vector[half] = is_store ? source_row(value, type) : destination(value, false);
    }
  }
  instruction.width = 8 * 4;
  instruction.detail |= 4;
  decode_address(operand(is_store ? 0 : 1), space, instruction);
  count_traffic(instruction);
  if (!is_store) instruction.detail |= access::kIntoRegisters;
  instruction.execute = is_store ? table_.store(space, Type::b64, true) : table_.load(space, Type::b64, true);
  if (is_store) std::ranges::for_each(moves, [this](const Instruction& move) { emit(move); });
  finish(modifiers, instruction);
  if (!is_store) std::ranges::for_each(moves, [this](const Instruction& move) { emit(move); });
}

/// Whether ptxas makes ATOMS.POPC.INC of an atomic in shared memory whose result nobody reads: an addition of
/// the constant 1, or an increment without bound, to 32 bits. It adds the number of lanes that name a word,
/// all in one pass. So ptxas 13.0 does for sm_90; of another constant, a variable, a minimum, a bit operation
/// or a result that is read it makes ATOMS, which lanes of one word enter one after the other.
bool FunctionDecoder::counts_lanes(AtomicOperation operation, Type type, const Operand& value) {
  if ((type != Type::u32 && type != Type::s32) || value.kind != Kind::immediate) return false;
  const auto number = static_cast<std::uint32_t>(value.bits);
  return (operation == AtomicOperation::add && number == 1) ||
         (operation == AtomicOperation::increment && number == UINT32_MAX);
}

void FunctionDecoder::decode_atomic(Modifiers& modifiers, bool returns) {
  using enum AtomicOperation;
  if (modifiers.take("async")) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.detail = ordering(modifiers);
  const Space space = take_space(modifiers).value_or(Space::generic);
  const bool keeps_subnormals = modifiers.take("noftz");
  const unsigned elements = modifiers.take("v2")   ? 2
                            : modifiers.take("v4") ? 4
                            : modifiers.take("v8") ? 8
                                                   : 1;
  const std::optional<AtomicOperation> operation =
      modifiers.take_one<AtomicOperation>({{"add", add},
                                           {"min", minimum},
                                           {"max", maximum},
                                           {"and", bit_and},
                                           {"or", bit_or},
                                           {"xor", bit_xor},
                                           {"exch", exchange},
                                           {"cas", compare_exchange},
                                           {"inc", increment},
                                           {"dec", decrement}});
  const Type type = need_type(modifiers);
  if (!operation || type == Type::b128 || keeps_subnormals != is_half(type)) throw NotSupported{};
  if (elements > 1) return decode_vector_atomic(modifiers, returns, space, type, elements, instruction);
  std::size_t next = 0;
  if (returns) instruction.destination = destination(operand(next++), is_wide(type));
  const bool is_read = returns && operand(0).kind == Kind::reg && is_read_[operand(0).index];
  decode_address(operand(next++), space, instruction);
  if (space == Space::shared && !is_read && counts_lanes(*operation, type, operand(next)))
    instruction.detail |= access::kCountsLanes;
  instruction.b = source_row(operand(next++), type);
  if (*operation == compare_exchange) instruction.c = source_row(operand(next++), type);
  instruction.width = static_cast<std::uint8_t>(ptx::bytes_of(type));
  instruction.execute = table_.atomic(space, *operation, type);
  context_.kernel.orders_blocks = true;
  count_traffic(instruction);
  if (space != Space::global) {
    context_.narrowest_shared = std::min<std::uint32_t>(context_.narrowest_shared, instruction.width);
  }
  finish(modifiers, instruction);
}

/// Vectors of floats, in global memory, which a generic address must lead to: an atomic for each element. The
/// first one checks the alignment of all and counts their traffic, for an aligned vector lies in one sector.
void FunctionDecoder::decode_vector_atomic(Modifiers& modifiers, bool returns, Space space, Type type,
                                           unsigned elements, Instruction instruction) {
  const unsigned bytes = ptx::bytes_of(type);
  if ((type != Type::f32 && !is_half(type)) || elements * bytes > 16 ||
      (space != Space::global && space != Space::generic)) {
    throw NotSupported{};
  }
  const Operand& values = operand(returns ? 2 : 1);
  const auto is_vector = [&](const Operand& list) {
    return list.kind == Kind::list && list.elements.size() == elements;
  };
  if (!is_vector(values) || (returns && !is_vector(operand(0)))) {
    throw Contradiction{"as many registers as elements are needed"};
  }
  decode_address(operand(returns ? 1 : 0), space, instruction);
  instruction.execute = table_.atomic(Space::global, AtomicOperation::add, type);
  instruction.width = static_cast<std::uint8_t>(elements * bytes);
  context_.kernel.orders_blocks = true;
  count_traffic(instruction);
  // The address may be among the results, so those are written when all is done.
  std::vector<Slot> results;
  for (unsigned k = 0; k < elements; ++k) {
    instruction.b = source_row(values.elements[k], type);
    if (returns) results.emplace_back(instruction.destination = new_row(false));
    finish(modifiers, instruction);
    instruction.offset = sum_of(bytes, instruction.offset);
    instruction.width = static_cast<std::uint8_t>(bytes);
    instruction.counter = program::kNoCounter;
  }
  for (unsigned k = 0; k < results.size(); ++k) {
    const Slot result = destination(operand(0).elements[k], false);
    if (result == kNoSlot) continue;
    Instruction move = begin_instruction();
    move.execute = table_.arithmetic(Operation::move, Type::b32, {});
    move.a = results[k];
    move.destination = result;
    emit(move);
  }
}

}  // namespace lockstep::emulator::decoding
