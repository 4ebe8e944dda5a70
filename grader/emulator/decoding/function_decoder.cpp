#include "emulator/decoding/function_decoder.h"

#include <algorithm>
#include <bit>

#include "emulator/core/round_up.h"
#include "emulator/core/toolkit_file.h"
#include "emulator/decoding/decoder.h"
#include "emulator/program/register_allocation.h"

namespace lockstep::emulator::decoding {
namespace {

/// Targets of all brx in a function: lists of a million labels may be named a million times.
constexpr std::size_t kMaxTargets = std::size_t{1} << 20;

/// Of the lines that an instruction was inlined through, innermost first: the innermost one in the file of
/// the kernel, be it in a helper or a lambda, but not in a header that the file includes.
SourceLine telling_line(const std::vector<SourceLine>& stack) {
  const auto own = [](const SourceLine& line) { return !is_toolkit_file(line.file); };
  const auto outermost = std::find_if(stack.rbegin(), stack.rend(), own);
  if (outermost == stack.rend()) return stack.empty() ? SourceLine{} : stack.back();
  return *std::find_if(stack.begin(), stack.end(),
                       [&](const SourceLine& line) { return line.file == outermost->file; });
}

}  // namespace

FunctionDecoder::FunctionDecoder(DecodingContext& context, const ptx::Function& source, Function& function)
    : context_(context), source_(source), function_(function), table_(program::handlers()) {
  if (!source.entry) return;
  const KernelInfo& info = context.kernel.info;
  for (std::size_t k = 0; k < source.parameters.size(); ++k)
    parameter_offsets_.try_emplace(source.parameters[k].name, info.parameters[k].offset);
}

void FunctionDecoder::decode() {
  for (const ptx::Variable& variable : source_.variables) variables_.emplace(variable.name, &variable);
  find_blocks();
  lay_out_local_memory();
  assign_registers();
  virtual_calls_ = analysis::find_virtual_calls(source_);
  for (std::size_t b = 0; b < function_.blocks.size(); ++b) decode_block(static_cast<std::uint32_t>(b));
  constexpr std::uint32_t kMaxFrameBytes = 1U << 20;  // a warp's; real kernels need a few kilobytes
  if (next_row_ > kMaxFrameBytes) {
    throw DeviceError(DeviceError::Code::invalid_image,
                      fmt::format("{} needs {} bytes of registers a warp; the emulated device has {}",
                                  source_.name, next_row_, kMaxFrameBytes));
  }
  function_.frame_bytes = next_row_;
}

// --- blocks ---

BasicBlock::SyncPoint FunctionDecoder::sync_point_of(const ptx::Instruction& instruction) {
  using enum BasicBlock::SyncPoint;
  switch (instructions::opcode_named(instruction.opcode).meeting) {
    case instructions::Meeting::alone:
      return none;
    case instructions::Meeting::lanes:
      return reconverge;
    case instructions::Meeting::at_barrier:
      if (instruction.has("cluster")) return instruction.has("wait") ? cluster_barrier : none;
      return instruction.has("warp") ? reconverge : barrier;
  }
  return none;
}

std::uint32_t FunctionDecoder::block_at(std::uint32_t instruction) const {
  // A label at the end of the function leads to the last, empty block.
  return block_of_.at(instruction);
}

void FunctionDecoder::find_blocks() {
  const auto& code = source_.instructions;
  const auto n = static_cast<std::uint32_t>(code.size());
  std::vector<bool> leads(n + 1, false);
  leads[0] = leads[n] = true;
  const auto lead = [&](const Operand& operand) {
    if (operand.kind == Kind::label && operand.index <= n) leads[operand.index] = true;
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    if (instructions::opcode_named(code[i].opcode).ending != Ending::next) leads[i + 1] = true;
    if (sync_point_of(code[i]) != BasicBlock::SyncPoint::none) leads[i] = true;
    for (const Operand& operand : code[i].operands) lead(operand);
  }
  for (const auto& [label, targets] : source_.target_lists) {
    for (const Operand& target : targets) lead(target);
  }
  block_of_.assign(n + 1, 0);
  for (std::uint32_t i = 0; i <= n; ++i) {
    if (leads[i]) {
      BasicBlock block;
      block.first = i;
      function_.blocks.push_back(block);
    }
    block_of_[i] = static_cast<std::uint32_t>(function_.blocks.size() - 1);
  }
  analysis::Successors successors(function_.blocks.size());
  for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) find_end(b, successors[b]);
  try {
    const std::vector<std::uint32_t> order = analysis::block_order(successors);
    for (std::uint32_t b = 0; b < order.size(); ++b) function_.blocks[b].order = order[b];
  } catch (const analysis::TangledControlFlow& error) {
    throw DeviceError(DeviceError::Code::invalid_image, fmt::format("{}: {}", source_.name, error.what()));
  }
  successors_ = std::move(successors);
}

void FunctionDecoder::find_end(std::uint32_t b, std::vector<std::uint32_t>& successors) {
  BasicBlock& block = function_.blocks[b];
  const auto n = static_cast<std::uint32_t>(source_.instructions.size());
  const std::uint32_t last = b + 1 < function_.blocks.size() ? function_.blocks[b + 1].first : n;
  block.next = b + 1;
  block.count = last - block.first;
  if (block.first == n) {  // falls off the end
    block.end = BasicBlock::End::leave;
    block.next = b;
    return;
  }
  const ptx::Instruction& ending = source_.instructions[last - 1];
  const Ending how = instructions::opcode_named(ending.opcode).ending;
  if (how != Ending::next) --block.count;
  switch (how) {
    case Ending::next:
      successors = {b + 1};
      return;
    case Ending::branches:
      return find_target(ending, block, successors);
    case Ending::branches_by_table:
      return find_targets(ending, block, successors);
    case Ending::calls:
      block.end = BasicBlock::End::call;
      successors = {b + 1};
      return;
    case Ending::returns:
    case Ending::exits:
    case Ending::traps:
      block.end = how == Ending::traps ? BasicBlock::End::trap : BasicBlock::End::leave;
      block.leaves_kernel = how == Ending::exits || source_.entry;
      if (ending.guard >= 0) successors = {b + 1};
      return;
  }
}

/// bra
void FunctionDecoder::find_target(const ptx::Instruction& ending, BasicBlock& block,
                                  std::vector<std::uint32_t>& successors) {
  if (ending.operands.size() != 1 || ending.operands[0].kind != Kind::label) {
    fail(ending, "a branch needs a label");
  }
  const bool guarded = ending.guard >= 0;
  block.end = guarded ? BasicBlock::End::conditional : BasicBlock::End::branch;
  block.target = block_at(ending.operands[0].index);
  successors = {block.target};
  if (guarded) successors.push_back(block.next);
}

/// brx.idx
void FunctionDecoder::find_targets(const ptx::Instruction& ending, BasicBlock& block,
                                   std::vector<std::uint32_t>& successors) {
  block.end = BasicBlock::End::indirect;
  const std::vector<Operand>* targets = nullptr;
  if (ending.operands.size() == 2) {
    const auto found = source_.target_lists.find(ending.operands[1].name);
    if (found != source_.target_lists.end()) targets = &found->second;
  }
  if (targets == nullptr || targets->empty()) fail(ending, "brx.idx needs a list of labels");
  indirect_targets_ += targets->size();
  if (indirect_targets_ > kMaxTargets) fail(ending, "the function's lists of labels are too long");
  charge(targets->size() * sizeof(std::uint32_t));
  for (const Operand& target : *targets) {
    if (target.kind != Kind::label) fail(ending, "brx.idx needs a list of labels");
    block.targets.push_back(block_at(target.index));
  }
  successors = block.targets;
}

// --- memory and registers ---

void FunctionDecoder::lay_out_local_memory() {
  std::uint64_t bytes = 0;
  const auto place = [&](const ptx::Variable& variable) {
    constexpr std::uint64_t kMaxLocalBytes = 512 * 1024;  // of a thread; CUDA's limit
    const std::uint64_t offset = round_up(bytes, std::max(variable.alignment, 8U));
    if (offset + variable.bytes > kMaxLocalBytes) {
      throw DeviceError(DeviceError::Code::invalid_image,
                        fmt::format("{} needs more local memory than a thread can have", source_.name));
    }
    bytes = offset + variable.bytes;
    const Function::LocalRange range{static_cast<std::uint32_t>(offset),
                                     static_cast<std::uint32_t>(variable.bytes)};
    local_offsets_[variable.name] = range.offset;
    return range;
  };
  if (!source_.entry) {
    for (const ptx::Variable& parameter : source_.parameters)
      function_.parameters.push_back(place(parameter));
    for (const ptx::Variable& result : source_.returns) function_.results.push_back(place(result));
  }
  for (const ptx::Variable& variable : source_.variables) {
    if (variable.space == Space::local || variable.space == Space::param) place(variable);
  }
  function_.local_bytes = static_cast<std::uint32_t>(round_up(bytes, 16));
}

void FunctionDecoder::assign_registers() {
  program::Allocation allocation = program::allocate_registers(source_, successors_, function_.blocks);
  function_.source = &source_;
  function_.first_place = static_cast<std::uint32_t>(context_.program.places.size());
  function_.registers = std::move(allocation.registers);
  charge(function_.registers.size() * sizeof(program::RegisterPlace));
  is_read_ = allocation.is_read;
  next_row_ = allocation.row_bytes;
  function_.predicates = allocation.predicates;
  function_.live_registers = allocation.widest;
}

Slot FunctionDecoder::new_row(bool wide) {
  const Slot slot = next_row_;
  next_row_ += (wide ? 8 : 4) * kLanes;
  return slot;
}

Slot FunctionDecoder::constant(std::uint64_t value, bool wide, bool dynamic_shared) {
  if (!wide) value &= 0xFFFF'FFFF;
  const auto key = std::make_tuple(value, wide, dynamic_shared);
  const auto found = constants_.find(key);
  if (found != constants_.end()) return found->second;
  const Slot slot = new_row(wide);
  function_.constants.push_back({slot, wide, dynamic_shared, value});
  charge(sizeof(Function::Constant));
  constants_[key] = slot;
  return slot;
}

// --- operands ---

Slot FunctionDecoder::predicate(const Operand& operand) const {
  if (operand.kind != Kind::reg || register_type(operand) != Type::pred) {
    throw Contradiction{"a predicate register is needed"};
  }
  return slot_of(operand.index);
}

Slot FunctionDecoder::register_row(const Operand& operand, bool wide) const {
  if (operand.kind != Kind::reg) throw Contradiction{"a register is needed"};
  const Type type = register_type(operand);
  if (type == Type::pred || type == Type::b128) throw NotSupported{};
  if (is_wide(type) != wide) throw Contradiction{"the register's width differs from the instruction's"};
  return slot_of(operand.index);
}

Slot FunctionDecoder::destination(const Operand& operand, bool wide) const {
  return operand.kind == Kind::sink ? kNoSlot : register_row(operand, wide);
}

Slot FunctionDecoder::written_row(const Operand& operand, bool wide) {
  return operand.kind == Kind::sink ? new_row(wide) : register_row(operand, wide);
}

std::optional<Slot> FunctionDecoder::symbol_row(const Operand& operand, bool wide) {
  const auto own = variables_.find(operand.name);
  const ptx::Variable* variable = own != variables_.end() ? own->second : nullptr;
  std::string key = source_.name + "/" + operand.name;
  if (variable == nullptr) {
    const auto global = context_.program.variables.find(operand.name);
    if (global != context_.program.variables.end()) {
      variable = global->second;
      key = operand.name;
    }
  }
  if (variable != nullptr && variable->space == Space::shared) {
    if (variable->external && variable->bytes == 0) {
      context_.dynamic_shared_alignment = std::max(context_.dynamic_shared_alignment, variable->alignment);
      return constant(static_cast<std::uint64_t>(operand.offset), wide, true);
    }
    return constant(context_.shared_offset(*variable, key) + static_cast<std::uint64_t>(operand.offset),
                    wide);
  }
  if (variable != nullptr && variable->external) {
    throw Contradiction{fmt::format("no file of the program defines the variable {}", operand.name)};
  }
  const auto symbol = context_.program.symbols.find(operand.name);
  if (symbol != context_.program.symbols.end()) {
    return constant(symbol->second.address + static_cast<std::uint64_t>(operand.offset), wide);
  }
  const auto code = context_.program.function_indices.find(operand.name);
  if (code != context_.program.function_indices.end()) {
    return constant(context_.program.functions_begin + code->second, wide);
  }
  if (const std::optional<std::uint32_t> offset = kernel_parameter(operand.name)) {
    return constant(*offset + static_cast<std::uint64_t>(operand.offset), wide);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> FunctionDecoder::kernel_parameter(const std::string& name) const {
  const auto found = parameter_offsets_.find(name);
  return found == parameter_offsets_.end() ? std::nullopt : std::optional(found->second);
}

Slot FunctionDecoder::source_row(const Operand& operand, Type type) {
  const bool wide = is_wide(type);
  switch (operand.kind) {
    case Kind::reg:
      return register_row(operand, wide);
    case Kind::immediate: {
      std::uint64_t bits = operand.bits;
      if (type == Type::f32 && operand.immediate_type == Operand::ImmediateType::f64) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      } else if (type == Type::f64 && operand.immediate_type == Operand::ImmediateType::f32) {
        bits = std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
      }
      return constant(bits, wide);
    }
    case Kind::special: {
      if (operand.name == "WARP_SZ") return constant(kLanes, wide);
      if (operand.name == "reserved_smem_offset_1") return constant(context_.reserved_shared(), wide);
      if (operand.name == "envreg1" || operand.name == "envreg2") context_.kernel.meets_grid = true;
      const Slot slot = new_row(wide);
      Instruction read = begin_instruction();
      read.execute = need(table_.special(operand.name, wide));
      read.destination = slot;
      emit(read);
      return slot;
    }
    case Kind::symbol: {
      if (const std::optional<Slot> slot = symbol_row(operand, wide)) return *slot;
      const auto local = local_offsets_.find(operand.name);
      if (local == local_offsets_.end() || !wide) throw Contradiction{"unknown symbol " + operand.name};
      return frame_address(local->second, operand.offset);
    }
    default:
      throw Contradiction{"an operand of an unexpected form"};
  }
}

Slot FunctionDecoder::frame_address(std::uint32_t begin, std::int64_t offset) {
  Instruction address = begin_instruction();
  address.execute = table_.frame_address;
  address.destination = new_row(true);
  address.offset = sum_of(begin, offset);
  emit(address);
  return address.destination;
}

// --- instructions ---

Handler FunctionDecoder::need(Handler handler) const {
  if (handler == nullptr) throw NotSupported{};
  return handler;
}

Instruction FunctionDecoder::begin_instruction() const {
  Instruction instruction;
  instruction.id = place_;
  const ptx::Instruction& source = *current_;
  if (source.guard >= 0) {
    instruction.guard = slot_of(static_cast<std::size_t>(source.guard));
    instruction.guard_negated = source.guard_negated;
  }
  return instruction;
}

const ptx::Operand& FunctionDecoder::operand(std::size_t index) const {
  if (index >= current_->operands.size()) throw Contradiction{"an operand is missing"};
  return current_->operands[index];
}

Place FunctionDecoder::make_place(const ptx::Instruction& instruction) const {
  Place place;
  place.instruction = instruction.spelling();
  const auto& files = context_.program.source.files;
  constexpr unsigned kMaxLevels = 256;
  std::int32_t at = instruction.location;
  for (unsigned level = 0; at >= 0 && level < kMaxLevels; ++level) {
    const ptx::Location& location = source_.locations.at(static_cast<std::size_t>(at));
    const auto file = files.find(location.file);
    if (file != files.end() && location.line != 0) {
      place.stack.push_back({file->second, location.line});
    }
    at = location.inlined_at;
  }
  place.line = telling_line(place.stack);
  return place;
}

std::size_t FunctionDecoder::bytes_of(const Place& place) const {
  std::size_t bytes = sizeof(Place) + sizeof(Instruction) + place.instruction.size() +
                      place.line.file.size() + source_.name.size();
  for (const SourceLine& line : place.stack) bytes += sizeof(SourceLine) + line.file.size();
  return bytes;
}

void FunctionDecoder::charge(std::size_t bytes) {
  Program& program = context_.program;
  program.decoded_bytes += bytes;
  if (program.decoded_bytes > program.most_decoded_bytes) {
    throw DeviceError(DeviceError::Code::invalid_image,
                      "the program's kernels have more code than the emulated device takes");
  }
}

std::uint32_t FunctionDecoder::add_place(const ptx::Instruction& instruction) {
  Place place = make_place(instruction);
  if (place.line.line == 0) {
    place.line = last_line_;
  } else {
    last_line_ = place.line;
  }
  charge(bytes_of(place));
  context_.program.places.push_back(std::move(place));
  return static_cast<std::uint32_t>(context_.program.places.size() - 1);
}

void FunctionDecoder::fail(const ptx::Instruction& instruction, const std::string& why) const {
  throw DeviceError(DeviceError::Code::invalid_image,
                    fmt::format("{}: {} ({}, PTX line {})", where(instruction), instruction.spelling(), why,
                                instruction.ptx_line));
}

void FunctionDecoder::refuse(const ptx::Instruction& instruction, Finding::Cause cause,
                             std::string name) const {
  const std::string what = fmt::format("{}: {} is not supported", where(instruction), name);
  Finding why = Finding::make(cause);
  why.line = line_of(instruction);
  why.name = std::move(name);
  why.detail = source_.name;
  throw RefusedRequest(DeviceError::Code::unsupported, std::move(why), what);
}

SourceLine FunctionDecoder::line_of(const ptx::Instruction& instruction) const {
  const Place place = make_place(instruction);
  return place.line.line != 0 ? place.line : last_line_;
}

std::string FunctionDecoder::where(const ptx::Instruction& instruction) const {
  const SourceLine line = line_of(instruction);
  return line.line == 0 ? source_.name : fmt::format("{}:{}", line.file, line.line);
}

void FunctionDecoder::decode_block(std::uint32_t b) {
  // A reference into function_.blocks stays valid: blocks are complete before decoding starts.
  BasicBlock& block = function_.blocks[b];
  const std::uint32_t first = block.first;
  const std::uint32_t count = block.count;
  block.first = static_cast<std::uint32_t>(function_.instructions.size());
  block.counter = static_cast<std::uint32_t>(context_.program.block_lines.size());
  charge(sizeof(BasicBlock) + sizeof(program::BlockLines) + sizeof(counters::BlockCounter) +
         source_.name.size());
  program::BlockLines lines;
  lines.function = source_.name;
  if (count > 0) block.sync_point = sync_point_of(source_.instructions[first]);
  for (std::uint32_t i = first; i < first + count; ++i) {
    guarded_decode(source_.instructions[i], [&] { decode_instruction(); });
    context_.program.places[place_].of_virtual_call = virtual_calls_.contains(i);
    lines.shares.push_back({place_, 1});
    if (i == first)
      block.sync_offset = static_cast<std::uint32_t>(function_.instructions.size()) - block.first - 1;
  }
  if (block.end != BasicBlock::End::fall_through && first + count < source_.instructions.size()) {
    const ptx::Instruction& ending = source_.instructions[first + count];
    guarded_decode(ending, [&] { decode_end(block); });
    context_.program.places[place_].of_virtual_call = virtual_calls_.contains(first + count);
    lines.shares.push_back({place_, 1});
    const bool calls_pointer =
        block.end == BasicBlock::End::call && function_.calls[block.call].target != kNoSlot;
    lines.ends_in_branch = block.end == BasicBlock::End::conditional ||
                           block.end == BasicBlock::End::indirect || calls_pointer ||
                           (block.end == BasicBlock::End::leave && block.condition != kNoSlot);
  }
  block.spelled = static_cast<std::uint32_t>(lines.shares.size());
  block.count = static_cast<std::uint32_t>(function_.instructions.size()) - block.first;
  context_.program.block_lines.push_back(std::move(lines));
}

void FunctionDecoder::decode_end(BasicBlock& block) {
  const ptx::Instruction& ending = *current_;
  block.end_id = place_;
  if (ending.guard >= 0) {
    block.condition = slot_of(static_cast<std::size_t>(ending.guard));
    block.condition_negated = ending.guard_negated;
  }
  if (block.end == BasicBlock::End::indirect) {
    if (ending.guard >= 0) throw NotSupported{};
    block.selector = source_row(operand(0), Type::u32);
  }
  if (block.end == BasicBlock::End::call) {
    if (ending.guard >= 0) throw NotSupported{};
    decode_call(block);
  }
}

void FunctionDecoder::decode_call(BasicBlock& block) {
  CallSite site;
  std::size_t next = 0;
  const auto offsets_of = [&](const Operand& list) {
    std::vector<std::uint32_t> offsets;
    for (const Operand& element : list.elements) {
      const auto found = local_offsets_.find(element.name);
      if (found == local_offsets_.end()) throw Contradiction{"unknown parameter " + element.name};
      offsets.push_back(found->second);
    }
    return offsets;
  };
  if (operand(next).kind == Kind::list) site.result_offsets = offsets_of(operand(next++));
  const Operand& target = operand(next++);
  if (next < operand_count() && operand(next).kind == Kind::list)
    site.argument_offsets = offsets_of(operand(next++));
  if (target.kind == Kind::symbol && target.name == "vprintf") {
    site.builtin = CallSite::Builtin::vprintf;
  } else if (target.kind == Kind::symbol && target.name == "__assertfail") {
    site.builtin = CallSite::Builtin::assertfail;
  } else if (target.kind == Kind::symbol && (target.name == "malloc" || target.name == "free")) {
    const bool takes = target.name == "malloc";
    if (site.argument_offsets.size() != 1 || site.result_offsets.size() != (takes ? 1 : 0)) {
      throw Contradiction{"a call of " + target.name + " with other parameters than C's"};
    }
    site.builtin = takes ? CallSite::Builtin::malloc : CallSite::Builtin::free;
    context_.uses_heap = true;
  } else if (target.kind == Kind::symbol) {
    site.callee = context_.function(target.name);
    if (site.callee == nullptr) {
      refuse(*current_, Finding::Cause::unsupported_function, target.name);
    }
  } else {
    site.target = source_row(target, Type::u64);
    context_.calls_indirectly = true;
  }
  charge(sizeof site + (site.argument_offsets.size() + site.result_offsets.size()) * sizeof(std::uint32_t));
  block.call = static_cast<std::uint32_t>(function_.calls.size());
  function_.calls.push_back(std::move(site));
}

}  // namespace lockstep::emulator::decoding
