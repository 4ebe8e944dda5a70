// Decodes one function: its blocks, its registers, then its instructions one by one.
//
// function_decoder.cpp holds what all instructions need; instruction.cpp finds the group of each, and the
// other files of this folder know the groups, as handlers/ does when they run.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/analysis/control_flow.h"
#include "emulator/analysis/virtual_calls.h"
#include "emulator/core/image.h"
#include "emulator/counters/counters.h"
#include "emulator/decoding/modifiers.h"
#include "emulator/decoding/names.h"
#include "emulator/instructions/opcode.h"
#include "emulator/program/handlers.h"
#include "emulator/program/program.h"

namespace lockstep::emulator::decoding {

/// What decoding one function needs of its kernel, and leaves there.
struct DecodingContext {
  Program& program;
  Kernel& kernel;
  /// Offset in the kernel's shared memory; `key` tells variables of different functions apart.
  std::function<std::uint32_t(const ptx::Variable& variable, const std::string& key)> shared_offset = {};
  /// A device function by name, decoded sooner or later; null when it has no body.
  std::function<Function*(const std::string& name)> function = {};
  /// Offset of the shared memory that cooperative groups find ready in every block.
  std::function<std::uint32_t()> reserved_shared = {};
  bool calls_indirectly = false;
  std::uint32_t narrowest_shared = 16;         ///< bytes
  std::uint32_t dynamic_shared_alignment = 1;  ///< bytes
  bool uses_heap = false;                      ///< a function calls malloc or free
};

/// The sum modulo 2^64 of offsets, of which PTX may choose any.
inline std::int64_t sum_of(std::uint64_t offset, std::int64_t other) {
  return static_cast<std::int64_t>(offset + static_cast<std::uint64_t>(other));
}

/// Whether values of a type take rows of 64 bits a lane.
inline bool is_wide(ptx::Type type) { return ptx::bytes_of(type) == 8; }

class FunctionDecoder {
 public:
  FunctionDecoder(DecodingContext& context, const ptx::Function& source, Function& function);
  void decode();

 private:
  using Kind = ptx::Operand::Kind;
  using Operand = ptx::Operand;
  using Space = ptx::Space;
  using Type = ptx::Type;

  // --- blocks ---
  static BasicBlock::SyncPoint sync_point_of(const ptx::Instruction& instruction);
  std::uint32_t block_at(std::uint32_t instruction) const;
  void find_blocks();
  /// How block `b` ends, as far as control flow goes; its operands are decoded later.
  void find_end(std::uint32_t b, std::vector<std::uint32_t>& successors);
  void find_target(const ptx::Instruction& ending, BasicBlock& block, std::vector<std::uint32_t>& successors);
  void find_targets(const ptx::Instruction& ending, BasicBlock& block,
                    std::vector<std::uint32_t>& successors);

  // --- memory and registers ---
  void lay_out_local_memory();
  void assign_registers();
  Slot new_row(bool wide);
  Slot constant(std::uint64_t value, bool wide, bool dynamic_shared = false);

  // --- operands ---
  Type register_type(const Operand& operand) const { return source_.registers.at(operand.index).type; }
  Slot slot_of(std::size_t name) const { return function_.registers.at(name).slot; }
  Slot predicate(const Operand& operand) const;
  /// Row of a register that holds values of `bytes` bytes (2 and 1 share the 4-byte rows).
  Slot register_row(const Operand& operand, bool wide) const;
  Slot destination(const Operand& operand, bool wide) const;
  /// Destination that handlers write without asking: `_` becomes a row that nobody reads.
  Slot written_row(const Operand& operand, bool wide);
  /// The value of a symbol as mov sees it, when it does not depend on the frame.
  std::optional<Slot> symbol_row(const Operand& operand, bool wide);
  /// Offset of a kernel parameter in the parameter block; of a device function there is none.
  std::optional<std::uint32_t> kernel_parameter(const std::string& name) const;
  /// Row of a source operand read as values of `type`.
  Slot source_row(const Operand& operand, Type type);
  /// Row of an address in the frame's local memory.
  Slot frame_address(std::uint32_t begin, std::int64_t offset);

  // --- instructions ---
  Handler need(Handler handler) const;
  Instruction begin_instruction() const;
  void emit(const Instruction& instruction) { function_.instructions.push_back(instruction); }
  const Operand& operand(std::size_t index) const;
  std::size_t operand_count() const { return current_->operands.size(); }
  Place make_place(const ptx::Instruction& instruction) const;
  std::size_t bytes_of(const Place& place) const;
  /// Adds to what the program's decoded kernels hold. Throws DeviceError when that is too much.
  void charge(std::size_t bytes);
  /// Compiler-made code (line 0) belongs to the last real line before it.
  std::uint32_t add_place(const ptx::Instruction& instruction);
  [[noreturn]] void fail(const ptx::Instruction& instruction, const std::string& why) const;
  /// Throws: the instruction is of a kind, or calls a function, that the emulated device does not have.
  [[noreturn]] void refuse(const ptx::Instruction& instruction, Finding::Cause cause, std::string name) const;
  SourceLine line_of(const ptx::Instruction& instruction) const;
  std::string where(const ptx::Instruction& instruction) const;
  void decode_block(std::uint32_t b);
  template <class F>
  void guarded_decode(const ptx::Instruction& instruction, F decode_it) {
    current_ = &instruction;
    row_ = &instructions::opcode_named(instruction.opcode);
    place_ = add_place(instruction);
    try {
      decode_it();
      // A decoder looks at those operands that it knows.
      if (operand_count() < row_->operands.least || operand_count() > row_->operands.most)
        throw Contradiction{"a wrong number of operands"};
    } catch (const NotSupported&) {
      refuse(instruction, Finding::Cause::unsupported_instruction, instruction.spelling());
    } catch (const Contradiction& contradiction) {
      fail(instruction, contradiction.message);
    }
  }
  void decode_end(BasicBlock& block);
  void decode_call(BasicBlock& block);
  void decode_instruction();

  // By group; each throws NotSupported for what it does not know.
  void decode_arithmetic(Modifiers& modifiers);
  void decode_dot_product(Modifiers& modifiers);
  void decode_find_leading(Modifiers& modifiers);
  void decode_funnel_shift(Modifiers& modifiers);
  void decode_permutation(Modifiers& modifiers);
  /// An instruction of one operation whose operands are those of its row.
  void finish_arithmetic(const Modifiers& modifiers, Operation operation, Type type, const Variant& variant,
                         std::uint16_t detail = 0);
  void decode_multiply(Modifiers& modifiers);
  void decode_multiply_24(Modifiers& modifiers);
  void decode_logic(Operation operation, Modifiers& modifiers);
  void decode_constant_logic(Operation operation, std::size_t variable, std::size_t constant,
                             Modifiers& modifiers);
  void decode_video(Modifiers& modifiers);
  void decode_carry(Modifiers& modifiers);
  void decode_compare(Modifiers& modifiers, bool to_value);
  void decode_select(Modifiers& modifiers);
  void decode_property_test(Modifiers& modifiers);
  void decode_space_test(Modifiers& modifiers);
  void decode_move(Modifiers& modifiers);
  void decode_convert(Modifiers& modifiers);
  Slot converted_source(const Operand& operand, Type type);
  void decode_address_conversion(Modifiers& modifiers);
  void decode_load_store(Modifiers& modifiers, bool is_store);
  void decode_eight(Modifiers& modifiers, bool is_store, Space space, Type type, Instruction instruction);
  void decode_atomic(Modifiers& modifiers, bool returns);
  void decode_vector_atomic(Modifiers& modifiers, bool returns, Space space, Type type, unsigned elements,
                            Instruction instruction);
  static bool counts_lanes(AtomicOperation operation, Type type, const Operand& value);
  void decode_shuffle(Modifiers& modifiers);
  void decode_vote(Modifiers& modifiers);
  void decode_match(Modifiers& modifiers);
  void decode_reduce(Modifiers& modifiers);
  void decode_election(Modifiers& modifiers);
  void decode_active_mask(Modifiers& modifiers);
  void decode_barrier(Modifiers& modifiers);
  void decode_copy_async(Modifiers& modifiers);
  Instruction begin_matrix_instruction(const MatrixOperation& operation);
  void take_fragment(const Operand& list, MatrixFragment& fragment, bool written);
  void decode_matrix(Modifiers& modifiers);
  void decode_matrix_multiply(Modifiers& modifiers, bool opaque);
  void decode_fragment_access(Modifiers& modifiers, bool is_store);
  void decode_matrix_rows(Modifiers& modifiers, bool is_store);
  void decode_matrix_transpose(Modifiers& modifiers);
  void decode_copy_by_thread(Modifiers& modifiers);
  void decode_copy_bulk(Modifiers& modifiers);
  void decode_group(Modifiers& modifiers, Handler handler, bool counts);
  void decode_cluster_barrier(Modifiers& modifiers);
  void decode_mbarrier(Modifiers& modifiers);
  void decode_mbarrier_arrive(Modifiers& modifiers, bool drops);
  void decode_mbarrier_wait(Modifiers& modifiers);
  void decode_map_to_rank(Modifiers& modifiers);
  void decode_rank_of_address(Modifiers& modifiers);
  /// The address of an mbarrier, or of a place in some block's shared memory, and the space it is in.
  void decode_shared_address(const Operand& address, Modifiers& modifiers, Instruction& instruction);
  /// A wide row with base + offset of an address that is not an instruction's first.
  Slot address_row(const Operand& address, Space space, bool& wide);
  void decode_texture(Modifiers& modifiers, bool gather);
  void decode_surface(Modifiers& modifiers, bool is_store);
  void decode_image_query(Modifiers& modifiers, bool texture);
  Slot image_handle(const Operand& address, std::size_t elements);
  Slot coordinate_rows(const Operand& address, std::size_t operands, Image::Shape shape, Type type);
  void decode_fence();
  void decode_nothing() { emit_plain(table_.none); }
  /// An instruction whose modifiers and operands its handler need not know.
  void emit_plain(Handler handler) {
    Instruction instruction = begin_instruction();
    instruction.execute = handler;
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
  void limit_checks(const Operand& value, Instruction& load) const;
  std::uint16_t ordering(Modifiers& modifiers);
  static std::optional<Space> take_space(Modifiers& modifiers);

  DecodingContext& context_;
  const ptx::Function& source_;
  Function& function_;
  const program::HandlerTable& table_;
  analysis::Successors successors_;
  std::vector<std::uint32_t> block_of_;
  std::vector<bool> is_read_;  ///< by register
  std::uint32_t next_row_ = 0;
  std::map<std::tuple<std::uint64_t, bool, bool>, Slot> constants_;
  std::unordered_map<std::string_view, const ptx::Variable*> variables_;  ///< of the function, by name
  std::unordered_map<std::string, std::uint32_t> local_offsets_;
  std::unordered_map<std::string, std::uint32_t> parameter_offsets_;  ///< of a kernel: in its parameter block
  std::size_t indirect_targets_ = 0;
  std::unordered_set<std::uint32_t> virtual_calls_;  ///< indices of instructions
  const ptx::Instruction* current_ = nullptr;
  const instructions::Opcode* row_ = nullptr;  ///< of the current instruction
  std::uint32_t place_ = 0;
  SourceLine last_line_;
};

}  // namespace lockstep::emulator::decoding
