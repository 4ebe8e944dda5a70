#include "emulator/machine/function_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "emulator/machine/control_flow.h"
#include "emulator/machine/decoder.h"
#include "emulator/machine/handlers.h"
#include "emulator/machine/register_allocation.h"

namespace lockstep::emulator {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;
using Kind = ptx::Operand::Kind;

/// Targets of all brx in a function: lists of a million labels may be named a million times.
constexpr std::size_t kMostTargets = std::size_t{1} << 20;

std::uint32_t align(std::uint32_t offset, std::uint32_t alignment) {
  const std::uint32_t unit = std::max(alignment, 1U);
  return (offset + unit - 1) / unit * unit;
}

bool is_wide(Type type) { return ptx::bytes_of(type) == 8; }

/// An instruction's modifiers, taken one by one; what is left over is not supported.
class Modifiers {
 public:
  explicit Modifiers(const ptx::Instruction& instruction) : words_(instruction.modifiers) {}

  /// Removes `word` if it is there.
  bool take(std::string_view word) {
    const auto found = std::find(words_.begin(), words_.end(), word);
    if (found == words_.end()) return false;
    words_.erase(found);
    return true;
  }
  /// Removes and returns the first of `words` that is there.
  template <class T>
  std::optional<T> take_one(std::initializer_list<std::pair<std::string_view, T>> words) {
    for (const auto& [word, value] : words) {
      if (take(word)) return value;
    }
    return std::nullopt;
  }
  /// Removes and returns the first word that names a type.
  std::optional<Type> take_type() {
    for (auto word = words_.begin(); word != words_.end(); ++word) {
      if (const std::optional<Type> type = ptx::type_from(*word)) {
        words_.erase(word);
        return type;
      }
    }
    return std::nullopt;
  }
  bool empty() const { return words_.empty(); }

 private:
  std::vector<std::string> words_;
};

/// Thrown inside this file; carries no place, the caller adds it.
struct NotSupported {};
struct Contradiction {
  std::string message;
};

class FunctionDecoder {
 public:
  FunctionDecoder(DecodingContext& context, const ptx::Function& source, Function& function)
      : context_(context), source_(source), function_(function), table_(handlers()) {
    for (const ptx::Variable& parameter : source.parameters) {
      const std::uint64_t unit = std::max<std::uint64_t>(parameter.alignment, 1);
      const std::uint64_t offset = (parameter_bytes_ + unit - 1) / unit * unit;
      parameter_offsets_.try_emplace(parameter.name, offset);
      parameter_bytes_ = offset + parameter.bytes;
    }
  }

  void decode() {
    find_blocks();
    lay_out_local_memory();
    assign_registers();
    for (std::size_t b = 0; b < function_.blocks.size(); ++b) decode_block(static_cast<std::uint32_t>(b));
    constexpr std::uint32_t kMostFrameBytes = 1U << 20;  // a warp's; real kernels need a few kilobytes
    if (next_row_ > kMostFrameBytes) {
      throw DeviceError(DeviceError::Code::invalid_image,
                        fmt::format("{} needs {} bytes of registers a warp; the emulated device has {}",
                                    source_.name, next_row_, kMostFrameBytes));
    }
    function_.frame_bytes = next_row_;
  }

 private:
  // --- blocks ---

  static bool ends_block(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    return opcode == "bra" || opcode == "brx" || opcode == "ret" || opcode == "exit" || opcode == "call" ||
           opcode == "trap" || opcode == "brkpt";
  }

  static BasicBlock::Gate gate_of(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const auto has = [&](std::string_view word) {
      return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), word) !=
             instruction.modifiers.end();
    };
    if (opcode == "bar" || opcode == "barrier") {
      if (has("cluster")) return BasicBlock::Gate::none;
      return has("warp") ? BasicBlock::Gate::meet : BasicBlock::Gate::barrier;
    }
    if ((opcode == "shfl" || opcode == "vote" || opcode == "match" || opcode == "redux" ||
         opcode == "elect") &&
        has("sync")) {
      return BasicBlock::Gate::meet;
    }
    return BasicBlock::Gate::none;
  }

  std::uint32_t block_at(std::uint32_t instruction) const {
    // A label at the end of the function leads to the last, empty block.
    return block_of_.at(instruction);
  }

  void find_blocks() {
    const auto& code = source_.instructions;
    const auto n = static_cast<std::uint32_t>(code.size());
    std::vector<bool> leads(n + 1, false);
    leads[0] = leads[n] = true;
    const auto lead = [&](const Operand& operand) {
      if (operand.kind == Kind::label && operand.index <= n) leads[operand.index] = true;
    };
    for (std::uint32_t i = 0; i < n; ++i) {
      if (ends_block(code[i])) leads[i + 1] = true;
      if (gate_of(code[i]) != BasicBlock::Gate::none) leads[i] = true;
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
    Successors successors(function_.blocks.size());
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) find_end(b, successors[b]);
    try {
      const std::vector<std::uint32_t> order = block_order(successors);
      for (std::uint32_t b = 0; b < order.size(); ++b) function_.blocks[b].order = order[b];
    } catch (const TangledControlFlow& error) {
      throw DeviceError(DeviceError::Code::invalid_image, fmt::format("{}: {}", source_.name, error.what()));
    }
    successors_ = std::move(successors);
  }

  /// How block `b` ends, as far as control flow goes; its operands are decoded later.
  void find_end(std::uint32_t b, std::vector<std::uint32_t>& successors) {
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
    const bool guarded = ending.guard >= 0;
    if (!ends_block(ending)) {
      successors = {b + 1};
      return;
    }
    --block.count;
    if (ending.opcode == "bra") {
      if (ending.operands.size() != 1 || ending.operands[0].kind != Kind::label) {
        fail(ending, "a branch needs a label");
      }
      block.end = guarded ? BasicBlock::End::conditional : BasicBlock::End::branch;
      block.target = block_at(ending.operands[0].index);
      successors = {block.target};
      if (guarded) successors.push_back(b + 1);
    } else if (ending.opcode == "brx") {
      block.end = BasicBlock::End::indirect;
      const std::vector<Operand>* targets = nullptr;
      if (ending.operands.size() == 2) {
        const auto found = source_.target_lists.find(ending.operands[1].name);
        if (found != source_.target_lists.end()) targets = &found->second;
      }
      if (targets == nullptr || targets->empty()) fail(ending, "brx.idx needs a list of labels");
      indirect_targets_ += targets->size();
      if (indirect_targets_ > kMostTargets) fail(ending, "the function's lists of labels are too long");
      for (const Operand& target : *targets) {
        if (target.kind != Kind::label) fail(ending, "brx.idx needs a list of labels");
        block.targets.push_back(block_at(target.index));
      }
      successors = block.targets;
    } else if (ending.opcode == "call") {
      block.end = BasicBlock::End::call;
      successors = {b + 1};
    } else {
      block.end = ending.opcode == "trap" || ending.opcode == "brkpt" ? BasicBlock::End::trap
                                                                      : BasicBlock::End::leave;
      block.leaves_kernel = ending.opcode == "exit" || source_.entry;
      if (guarded) successors = {b + 1};
    }
  }

  // --- memory and registers ---

  void lay_out_local_memory() {
    std::uint32_t bytes = 0;
    const auto place = [&](const ptx::Variable& variable) {
      constexpr std::uint64_t kMostLocalBytes = 512 * 1024;  // of a thread; CUDA's limit
      bytes = align(bytes, std::max(variable.alignment, 8U));
      if (variable.bytes > kMostLocalBytes || bytes + variable.bytes > kMostLocalBytes) {
        throw DeviceError(DeviceError::Code::invalid_image,
                          fmt::format("{} needs more local memory than a thread can have", source_.name));
      }
      const std::uint32_t offset = bytes;
      local_offsets_[variable.name] = offset;
      bytes += static_cast<std::uint32_t>(variable.bytes);
      return Function::LocalRange{offset, static_cast<std::uint32_t>(variable.bytes)};
    };
    if (!source_.entry) {
      for (const ptx::Variable& parameter : source_.parameters)
        function_.parameters.push_back(place(parameter));
      for (const ptx::Variable& result : source_.returns) function_.results.push_back(place(result));
    }
    for (const ptx::Variable& variable : source_.variables) {
      if (variable.space == Space::local || variable.space == Space::param) place(variable);
    }
    function_.local_bytes = align(bytes, 16);
  }

  void assign_registers() {
    const Allocation allocation = allocate_registers(source_, successors_, function_.blocks);
    slots_ = allocation.slots;
    is_read_ = allocation.is_read;
    next_row_ = allocation.row_bytes;
    function_.predicates = allocation.predicates;
    function_.live_registers = allocation.widest;
  }

  Slot new_row(bool wide) {
    const Slot slot = next_row_;
    next_row_ += (wide ? 8 : 4) * kLanes;
    return slot;
  }

  Slot constant(std::uint64_t value, bool wide, bool dynamic_shared = false) {
    if (!wide) value &= 0xFFFF'FFFF;
    const auto key = std::make_tuple(value, wide, dynamic_shared);
    const auto found = constants_.find(key);
    if (found != constants_.end()) return found->second;
    const Slot slot = new_row(wide);
    function_.constants.push_back({slot, wide, dynamic_shared, value});
    constants_[key] = slot;
    return slot;
  }

  // --- operands ---

  Type register_type(const Operand& operand) const { return source_.registers.at(operand.index).type; }

  Slot predicate(const Operand& operand) const {
    if (operand.kind != Kind::reg || register_type(operand) != Type::pred) {
      throw Contradiction{"a predicate register is needed"};
    }
    return slots_[operand.index];
  }

  /// Row of a register that holds values of `bytes` bytes (2 and 1 share the 4-byte rows).
  Slot register_row(const Operand& operand, bool wide) const {
    if (operand.kind != Kind::reg) throw Contradiction{"a register is needed"};
    const Type type = register_type(operand);
    if (type == Type::pred || type == Type::b128) throw NotSupported{};
    if (is_wide(type) != wide) throw Contradiction{"the register's width differs from the instruction's"};
    return slots_[operand.index];
  }

  Slot destination(const Operand& operand, bool wide) const {
    return operand.kind == Kind::sink ? kNoSlot : register_row(operand, wide);
  }

  /// Destination that handlers write without asking: `_` becomes a row that nobody reads.
  Slot written_row(const Operand& operand, bool wide) {
    return operand.kind == Kind::sink ? new_row(wide) : register_row(operand, wide);
  }

  /// The value of a symbol as mov sees it, when it does not depend on the frame.
  std::optional<Slot> symbol_row(const Operand& operand, bool wide) {
    const auto in_function = [&](const ptx::Variable& variable) { return variable.name == operand.name; };
    const auto own = std::find_if(source_.variables.begin(), source_.variables.end(), in_function);
    const ptx::Variable* variable = own != source_.variables.end() ? &*own : nullptr;
    std::string key = source_.name + "/" + operand.name;
    if (variable == nullptr) {
      const auto& globals = context_.program.source.variables;
      const auto global = std::find_if(globals.begin(), globals.end(), in_function);
      if (global != globals.end()) {
        variable = &*global;
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
    const auto symbol = context_.program.symbols.find(operand.name);
    if (symbol != context_.program.symbols.end()) {
      return constant(symbol->second.address + static_cast<std::uint64_t>(operand.offset), wide);
    }
    const auto code = context_.program.function_indices.find(operand.name);
    if (code != context_.program.function_indices.end()) return constant(kFunctionBegin + code->second, wide);
    if (source_.entry) {
      if (const std::optional<std::uint64_t> offset = kernel_parameter(operand.name)) {
        return constant(*offset + static_cast<std::uint64_t>(operand.offset), wide);
      }
    }
    return std::nullopt;
  }

  /// Offset of a kernel parameter in the parameter block.
  std::optional<std::uint64_t> kernel_parameter(const std::string& name) const {
    const auto found = parameter_offsets_.find(name);
    return found == parameter_offsets_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Row of a source operand read as values of `type`.
  Slot source_row(const Operand& operand, Type type) {
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
        return frame_address(local->second + operand.offset);
      }
      default:
        throw Contradiction{"an operand of an unexpected form"};
    }
  }

  Slot frame_address(std::int64_t offset) {
    Instruction address = begin_instruction();
    address.execute = table_.frame_address;
    address.destination = new_row(true);
    address.offset = offset;
    emit(address);
    return address.destination;
  }

  // --- instructions ---

  Handler need(Handler handler) const {
    if (handler == nullptr) throw NotSupported{};
    return handler;
  }

  Instruction begin_instruction() const {
    Instruction instruction;
    instruction.id = place_;
    const ptx::Instruction& source = *current_;
    if (source.guard >= 0) {
      instruction.guard = slots_.at(static_cast<std::size_t>(source.guard));
      instruction.guard_negated = source.guard_negated;
    }
    return instruction;
  }

  void emit(const Instruction& instruction) { function_.instructions.push_back(instruction); }

  const Operand& operand(std::size_t index) const {
    if (index >= current_->operands.size()) throw Contradiction{"an operand is missing"};
    return current_->operands[index];
  }
  std::size_t operand_count() const { return current_->operands.size(); }

  Place make_place(const ptx::Instruction& instruction) const {
    Place place;
    place.instruction = instruction.spelling();
    const auto& files = context_.program.source.files;
    constexpr unsigned kMostLevels = 256;
    std::int32_t at = instruction.location;
    for (unsigned level = 0; at >= 0 && level < kMostLevels; ++level) {
      const ptx::Location& location = source_.locations.at(static_cast<std::size_t>(at));
      const auto file = files.find(location.file);
      if (file != files.end() && location.line != 0) {
        place.stack.push_back({file->second, location.line});
        if (!is_toolkit_file(file->second)) place.line = place.stack.back();
      }
      at = location.inlined_at;
    }
    if (place.line.line == 0 && !place.stack.empty()) place.line = place.stack.back();
    return place;
  }

  void charge(const Place& place) {
    Program& program = context_.program;
    std::size_t bytes = sizeof(Place) + sizeof(Instruction) + place.instruction.size() +
                        place.line.file.size() + source_.name.size();
    for (const SourceLine& line : place.stack) bytes += sizeof(SourceLine) + line.file.size();
    program.decoded_bytes += bytes;
    if (program.decoded_bytes > program.most_decoded_bytes) {
      throw DeviceError(DeviceError::Code::invalid_image,
                        "the program's kernels have more code than the emulated device takes");
    }
  }

  /// Compiler-made code (line 0) belongs to the last real line before it.
  std::uint32_t add_place(const ptx::Instruction& instruction) {
    Place place = make_place(instruction);
    if (place.line.line == 0) {
      place.line = last_line_;
    } else {
      last_line_ = place.line;
    }
    charge(place);
    context_.program.places.push_back(std::move(place));
    return static_cast<std::uint32_t>(context_.program.places.size() - 1);
  }

  [[noreturn]] void fail(const ptx::Instruction& instruction, const std::string& why) const {
    throw DeviceError(DeviceError::Code::invalid_image,
                      fmt::format("{}: {} ({}, PTX line {})", where(instruction), instruction.spelling(), why,
                                  instruction.ptx_line));
  }
  std::string where(const ptx::Instruction& instruction) const {
    const Place place = make_place(instruction);
    const SourceLine& line = place.line.line != 0 ? place.line : last_line_;
    return line.line == 0 ? source_.name : fmt::format("{}:{}", line.file, line.line);
  }

  void decode_block(std::uint32_t b) {
    // A reference into function_.blocks stays valid: blocks are complete before decoding starts.
    BasicBlock& block = function_.blocks[b];
    const std::uint32_t first = block.first;
    const std::uint32_t count = block.count;
    block.first = static_cast<std::uint32_t>(function_.instructions.size());
    block.counter = static_cast<std::uint32_t>(context_.program.block_lines.size());
    BlockLines lines;
    lines.function = source_.name;
    if (count > 0) block.gate = gate_of(source_.instructions[first]);
    for (std::uint32_t i = first; i < first + count; ++i) {
      guarded_decode(source_.instructions[i], [&] { decode_instruction(); });
      lines.shares.push_back({place_, 1});
      if (i == first)
        block.gate_offset = static_cast<std::uint32_t>(function_.instructions.size()) - block.first - 1;
    }
    if (block.end != BasicBlock::End::fall_through && first + count < source_.instructions.size()) {
      const ptx::Instruction& ending = source_.instructions[first + count];
      guarded_decode(ending, [&] { decode_end(block); });
      lines.shares.push_back({place_, 1});
    }
    block.count = static_cast<std::uint32_t>(function_.instructions.size()) - block.first;
    context_.program.block_lines.push_back(std::move(lines));
  }

  template <class F>
  void guarded_decode(const ptx::Instruction& instruction, F decode_it) {
    current_ = &instruction;
    place_ = add_place(instruction);
    try {
      decode_it();
    } catch (const NotSupported&) {
      throw DeviceError(DeviceError::Code::unsupported,
                        fmt::format("{}: the emulated device does not support the instruction {} yet",
                                    where(instruction), instruction.spelling()));
    } catch (const Contradiction& contradiction) {
      fail(instruction, contradiction.message);
    }
  }

  void decode_end(BasicBlock& block) {
    const ptx::Instruction& ending = *current_;
    block.end_id = place_;
    if (ending.guard >= 0) {
      block.condition = slots_.at(static_cast<std::size_t>(ending.guard));
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

  void decode_call(BasicBlock& block) {
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
    } else if (target.kind == Kind::symbol) {
      site.callee = context_.function(target.name);
      if (site.callee == nullptr) {
        throw DeviceError(DeviceError::Code::unsupported,
                          fmt::format("{}: the emulated device does not support the device function {} yet",
                                      where(*current_), target.name));
      }
    } else {
      site.target = source_row(target, Type::u64);
      context_.calls_indirectly = true;
    }
    block.call = static_cast<std::uint32_t>(function_.calls.size());
    function_.calls.push_back(std::move(site));
  }

  void decode_instruction();

  // By group; each throws NotSupported for what it does not know.
  void decode_arithmetic(Operation operation, Modifiers& modifiers);
  void decode_multiply(bool add, Modifiers& modifiers);
  void decode_carry(Modifiers& modifiers);
  void decode_compare(Modifiers& modifiers, bool to_value);
  void decode_select(Modifiers& modifiers);
  void decode_move(Modifiers& modifiers);
  void decode_convert(Modifiers& modifiers);
  void decode_address_conversion(Modifiers& modifiers);
  void decode_load_store(Modifiers& modifiers, bool is_store);
  void decode_atomic(Modifiers& modifiers, bool returns);
  static bool counts_lanes(AtomicOperation operation, Type type, const Operand& value);
  void decode_shuffle(Modifiers& modifiers);
  void decode_vote(Modifiers& modifiers);
  void decode_match(Modifiers& modifiers);
  void decode_reduce(Modifiers& modifiers);
  void decode_barrier(Modifiers& modifiers);
  void decode_copy_async(Modifiers& modifiers);
  void decode_nothing() {
    Instruction instruction = begin_instruction();
    instruction.execute = table_.none;
    emit(instruction);
  }

  Type need_type(Modifiers& modifiers) {
    const std::optional<Type> type = modifiers.take_type();
    if (!type) throw NotSupported{};
    return *type;
  }
  void finish(const Modifiers& modifiers, Instruction instruction) {
    if (!modifiers.empty()) throw NotSupported{};
    need(instruction.execute);
    emit(instruction);
  }
  /// Address row and offset of [base + offset].
  void decode_address(const Operand& address, Space space, Instruction& instruction);
  void count_traffic(Instruction& instruction);
  std::uint16_t ordering(Modifiers& modifiers);
  static std::optional<Space> take_space(Modifiers& modifiers);
  static Rounding take_rounding(Modifiers& modifiers);

  DecodingContext& context_;
  const ptx::Function& source_;
  Function& function_;
  const HandlerTable& table_;
  Successors successors_;
  std::vector<std::uint32_t> block_of_;
  std::vector<Slot> slots_;
  std::vector<bool> is_read_;  ///< by register
  std::uint32_t next_row_ = 0;
  std::map<std::tuple<std::uint64_t, bool, bool>, Slot> constants_;
  std::unordered_map<std::string, std::uint32_t> local_offsets_;
  std::unordered_map<std::string, std::uint64_t> parameter_offsets_;  ///< in the parameter block
  std::uint64_t parameter_bytes_ = 0;
  std::size_t indirect_targets_ = 0;
  const ptx::Instruction* current_ = nullptr;
  std::uint32_t place_ = 0;
  SourceLine last_line_;
};

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

// --- memory ---

std::optional<Space> FunctionDecoder::take_space(Modifiers& modifiers) {
  // `shared::cta` and `shared::cluster` are one word each in PTX; without clusters they are the block's own.
  return modifiers.take_one<Space>({{"global", Space::global},
                                    {"shared", Space::shared},
                                    {"shared::cta", Space::shared},
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
    instruction.a = frame_address(local->second + base.offset);
    return;
  }
  const std::optional<Slot> slot = symbol_row(base, true);
  if (!slot) throw Contradiction{"unknown symbol " + base.name};
  instruction.a = *slot;
}

void FunctionDecoder::count_traffic(Instruction& instruction) {
  instruction.counter = static_cast<std::uint32_t>(context_.program.traffic_places.size());
  context_.program.traffic_places.push_back(place_);
  context_.program.traffic_functions.push_back(source_.name);
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
  for (const char* scope : {"cta", "cluster", "gpu", "sys"}) modifiers.take(scope);
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
  const unsigned count = modifiers.take("v2") ? 2 : modifiers.take("v4") ? 4 : 1;
  const Type type = need_type(modifiers);
  const Operand& values = operand(is_store ? 1 : 0);
  const Operand& address = operand(is_store ? 0 : 1);
  instruction.width = static_cast<std::uint8_t>(ptx::bytes_of(type) * count);
  instruction.detail |= static_cast<std::uint16_t>(count);
  if (instruction.width == 0 || instruction.width > 16) throw NotSupported{};

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

  const bool kernel_parameter = space == Space::param && source_.entry && address.kind == Kind::address &&
                                !address.elements.empty() && address.elements[0].kind == Kind::symbol &&
                                this->kernel_parameter(address.elements[0].name).has_value();
  if (kernel_parameter && !is_store) {
    const Operand& base = address.elements[0];
    instruction.offset =
        static_cast<std::int64_t>(*this->kernel_parameter(base.name)) + base.offset + address.offset;
    if (instruction.offset < 0 ||
        static_cast<std::uint64_t>(instruction.offset) + instruction.width > parameter_bytes_) {
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
  instruction.counter = kNoCounter;
  if (space != Space::constant && space != Space::param && !frame_parameter) count_traffic(instruction);
  if (space == Space::shared || space == Space::generic) {
    context_.narrowest_shared = std::min<std::uint32_t>(context_.narrowest_shared, instruction.width);
  }
  instruction.execute = is_store ? table_.store(space, type, wide) : table_.load(space, type, wide);
  finish(modifiers, instruction);
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
  Instruction instruction = begin_instruction();
  instruction.detail = ordering(modifiers);
  const Space space = take_space(modifiers).value_or(Space::generic);
  modifiers.take("noftz");
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
  if (!operation) throw NotSupported{};
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

void FunctionDecoder::decode_copy_async(Modifiers& modifiers) {
  if (modifiers.take("commit_group") || modifiers.take("wait_group") || modifiers.take("wait_all")) {
    if (!modifiers.empty()) throw NotSupported{};
    return decode_nothing();
  }
  if (modifiers.take("bulk") || modifiers.take("mbarrier")) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.detail = ordering(modifiers);
  const bool to_shared = modifiers.take("shared") || modifiers.take("shared::cta");
  if (!to_shared || !modifiers.take("global") || operand(2).kind != Kind::immediate) throw NotSupported{};
  decode_address(operand(0), Space::shared, instruction);
  Instruction source = begin_instruction();
  decode_address(operand(1), Space::global, source);
  if ((source.detail & access::kAddress64) == 0) throw NotSupported{};
  if (source.offset == 0) {
    instruction.b = source.a;
  } else {
    Instruction sum = begin_instruction();
    sum.execute = table_.arithmetic(Operation::add, Type::u64, {});
    sum.a = source.a;
    sum.b = constant(static_cast<std::uint64_t>(source.offset), true);
    sum.destination = new_row(true);
    emit(sum);
    instruction.b = sum.destination;
  }
  const std::uint64_t bytes = operand(2).bits;
  if (bytes != 4 && bytes != 8 && bytes != 16) throw NotSupported{};
  instruction.width = static_cast<std::uint8_t>(bytes);
  context_.narrowest_shared = std::min<std::uint32_t>(context_.narrowest_shared, instruction.width);
  if (operand_count() > 3) instruction.c = source_row(operand(3), Type::u32);
  instruction.execute = table_.copy_async;
  count_traffic(instruction);
  finish(modifiers, instruction);
}

// --- between lanes ---

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

/// bar and barrier: row a is the barrier's number, row b how many threads it waits for (none: all of the
/// block). The scheduler does the waiting, so the instruction itself does nothing.
void FunctionDecoder::decode_barrier(Modifiers& modifiers) {
  Instruction instruction = begin_instruction();
  if (modifiers.take("warp")) {
    if (!modifiers.take("sync")) throw NotSupported{};
    instruction.vector[1] = source_row(operand(0), Type::u32);
    instruction.execute = table_.warp_wide(WarpOperation::synchronise, Type::b32);
    return finish(modifiers, instruction);
  }
  modifiers.take("cta");
  modifiers.take("aligned");
  if (!modifiers.take("sync")) throw NotSupported{};
  instruction.a = source_row(operand(0), Type::u32);
  if (operand_count() > 1) instruction.b = source_row(operand(1), Type::u32);
  instruction.execute = table_.none;
  finish(modifiers, instruction);
}

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
      {"copysign", copy_sign}};
  const std::string& opcode = current_->opcode;
  Modifiers modifiers(*current_);
  const auto has = [&](std::string_view word) {
    return std::find(current_->modifiers.begin(), current_->modifiers.end(), word) !=
           current_->modifiers.end();
  };

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
  if (opcode == "mul24" || opcode == "mad24") {
    if (!modifiers.take("lo")) throw NotSupported{};
    const Type type = need_type(modifiers);
    Instruction instruction = begin_instruction();
    instruction.execute = table_.arithmetic(opcode == "mul24" ? multiply_24 : multiply_add_24, type, {});
    instruction.destination = written_row(operand(0), false);
    instruction.a = source_row(operand(1), type);
    instruction.b = source_row(operand(2), type);
    if (opcode == "mad24") instruction.c = source_row(operand(3), type);
    return finish(modifiers, instruction);
  }
  if (opcode == "addc" || opcode == "subc" || opcode == "madc" ||
      ((opcode == "add" || opcode == "sub") && has("cc"))) {
    return decode_carry(modifiers);
  }
  if (opcode == "shf") {
    const bool left = modifiers.take("l");
    if (!left && !modifiers.take("r")) throw NotSupported{};
    const bool clamp = modifiers.take("clamp");
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
    if (has("cta")) return decode_nothing();  // orders nothing between blocks
    Instruction instruction = begin_instruction();
    instruction.execute = table_.fence;
    context_.kernel.orders_blocks = true;
    emit(instruction);
    return;
  }
  if (opcode == "cp" && modifiers.take("async")) return decode_copy_async(modifiers);
  if (opcode == "nanosleep" || opcode == "prefetch" || opcode == "prefetchu" || opcode == "pmevent" ||
      opcode == "griddepcontrol") {
    return decode_nothing();
  }
  const auto arithmetic = kArithmetic.find(opcode);
  if (arithmetic == kArithmetic.end()) throw NotSupported{};
  decode_arithmetic(arithmetic->second, modifiers);
}

}  // namespace

void decode_function(DecodingContext& context, const ptx::Function& source, Function& function) {
  FunctionDecoder(context, source, function).decode();
}

}  // namespace lockstep::emulator
