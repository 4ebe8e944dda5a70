// A kernel decoded for execution: handlers instead of words, rows of lanes instead of registers.
//
// Every PTX register becomes a row of 32 lanes in a frame: 128 bytes for up to 32 bits a lane, 256 bytes
// for 64. Immediates are rows too, filled once, so that an operand is always one offset. Predicates are
// 32-bit masks. Control flow is taken out of the instructions into the blocks, whose `order` drives
// reconvergence (control_flow.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/analysis/speculated_loads.h"
#include "emulator/core/lane_mask.h"
#include "emulator/core/types.h"
#include "emulator/program/matrix_operation.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::state {
struct Warp;
}

namespace lockstep::emulator::program {

struct Instruction;
struct Function;

/// Executes one instruction for the lanes of `active` (never empty).
using Handler = void (*)(state::Warp& warp, const Instruction& instruction, Mask active);

/// A register as decoded: byte offset of its row in the frame, or index of its predicate.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xFFFF'FFFF;
inline constexpr std::uint32_t kNoPlace = 0xFFFF'FFFF;  ///< in place of an index into Program::places

struct Instruction {
  Handler execute = nullptr;
  Slot destination = kNoSlot;
  Slot a = kNoSlot, b = kNoSlot, c = kNoSlot;
  Slot guard = kNoSlot;  ///< predicate that lanes must hold to execute
  bool guard_negated = false;
  std::uint8_t width = 0;     ///< bytes a lane accesses (memory)
  std::uint16_t detail = 0;   ///< what the handler wants to know besides: an operation, a lookup table, flags
  std::uint32_t id = 0;       ///< index into Program::places
  std::uint32_t counter = 0;  ///< index into Counters::traffic (memory)
  std::uint32_t reads_flags = 0;  ///< bit k: operand k (a, b, c, …) is a negated predicate
  std::int64_t offset = 0;        ///< of an address, in bytes
  std::array<Slot, 4> vector{kNoSlot, kNoSlot, kNoSlot,
                             kNoSlot};  ///< rows of a vector access, or more operands
};

struct BasicBlock {
  /// What the lanes of a warp must do before they may enter.
  enum class SyncPoint : std::uint8_t {
    none,
    reconverge,       ///< a warp-wide operation: the lanes that its mask names reconverge here first
    barrier,          ///< a barrier of the thread block
    cluster_barrier,  ///< the wait at the barrier of the cluster
  };
  enum class End : std::uint8_t { fall_through, branch, conditional, indirect, call, leave, trap };

  std::uint32_t first = 0, count = 0;  ///< instructions of Function::instructions
  std::uint32_t order = 0;             ///< blocks of lower order run first when lanes have diverged
  std::uint32_t counter = 0;           ///< index into Counters::blocks
  SyncPoint sync_point = SyncPoint::none;
  std::uint32_t sync_offset = 0;  ///< of the instruction that synchronises in the block
  End end = End::fall_through;
  bool leaves_kernel = false;  ///< End::leave: exit, not ret
  Slot condition = kNoSlot;    ///< predicate of a conditional end
  bool condition_negated = false;
  std::uint32_t target = 0, next = 0;  ///< block indices
  std::uint32_t end_id = 0;            ///< place of the ending instruction
  std::uint32_t spelled = 0;           ///< instructions as PTX spells them, the ending one among them
  // indirect
  Slot selector = kNoSlot;
  std::vector<std::uint32_t> targets;
  // call
  std::uint32_t call = 0;  ///< index into Function::calls
};

struct CallSite {
  Function* callee = nullptr;  ///< null for a built-in or an indirect call
  enum class Builtin : std::uint8_t { none, vprintf, assertfail, malloc, free } builtin = Builtin::none;
  Slot target = kNoSlot;                        ///< row that holds a function's address, of an indirect call
  std::vector<std::uint32_t> argument_offsets;  ///< in the caller's local memory, in order
  std::vector<std::uint32_t> result_offsets;
};

/// Where a register of the source lies, and between which of its instructions it holds a value.
struct RegisterPlace {
  Slot slot = kNoSlot;  ///< byte offset of its row, or index of its predicate; kNoSlot: unused
  std::uint32_t first = 0, last = 0;
};

struct Function {
  const ptx::Function* source = nullptr;
  std::uint32_t first_place = 0;         ///< Instruction::id of its first instruction; each has one
  std::vector<RegisterPlace> registers;  ///< as ptx::Function::registers
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;
  std::uint32_t frame_bytes = 0;  ///< rows, constants included
  std::uint32_t predicates = 0;
  std::uint32_t local_bytes = 0;     ///< of one thread: .local variables and call-scoped parameters
  std::uint32_t live_registers = 0;  ///< widest live set in 32-bit registers
  struct Constant {
    Slot row = 0;
    bool wide = false;
    bool dynamic_shared = false;  ///< counts from where dynamic shared memory begins
    std::uint64_t value = 0;
  };
  std::vector<Constant> constants;
  std::vector<CallSite> calls;
  struct LocalRange {
    std::uint32_t offset = 0, bytes = 0;
  };
  std::vector<LocalRange> parameters, results;  ///< of a device function, in its frame's local memory
};

/// Where an instruction comes from, for findings and for counters by line.
struct Place {
  SourceLine line;                ///< the innermost one in the kernel's file
  std::vector<SourceLine> stack;  ///< innermost first
  std::string instruction;        ///< as spelled in PTX
  bool of_virtual_call = false;   ///< the call, or the load of the function's address from the object's table
};

/// How a block of instructions contributes to the counters of its lines.
struct BlockLines {
  struct Share {
    std::uint32_t place = 0;
    std::uint32_t instructions = 0;
  };
  std::vector<Share> shares;
  std::string function;         ///< mangled
  bool ends_in_branch = false;  ///< one that lanes may take both ways; the last share is its own
};

/// What is known of one module, and what its kernels have in common.
struct Program {
  ptx::Module source;
  std::unordered_map<std::string_view, const ptx::Variable*> variables;  ///< of `source`, by name
  std::map<std::string, std::uint32_t, std::less<>> function_indices;
  std::uint64_t functions_begin = 0;  ///< a function's address is this + its index
  std::unordered_map<const ptx::Function*, analysis::SpeculatedLoads> speculated_loads;  ///< of `source`
  std::vector<Place> places;
  std::size_t decoded_bytes = 0;               ///< about what decoded kernels hold
  std::size_t most_decoded_bytes = SIZE_MAX;   ///< each kernel has copies of the functions that it calls
  std::vector<BlockLines> block_lines;         ///< by BasicBlock::counter
  std::vector<std::uint32_t> traffic_places;   ///< by Instruction::counter
  std::vector<std::string> traffic_functions;  ///< likewise: the function's mangled name
  std::map<std::string, SymbolInfo, std::less<>> symbols;  ///< module-scope .global and .const variables
};

/// A kernel with the functions that it can reach. Each kernel has its own copies of device functions, because
/// where shared variables lie depends on the kernel.
struct Kernel {
  Program* program = nullptr;
  Function* function = nullptr;
  KernelInfo info;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;
  std::vector<Function*>
      by_index;  ///< for indirect calls, by Program::function_indices; null when not callable
  std::uint32_t first_counter = 0, memory_instructions = 0;  ///< range of Instruction::counter
  bool orders_blocks = false;        ///< some instruction is a fence, an atomic, or volatile
  bool stores_unfenced = false;      ///< some store that may go to global memory is relaxed or volatile
  std::uint32_t shared_granule = 4;  ///< bytes: narrowest shared access, for the race check's words
  std::uint32_t shared_bytes = 0;    ///< without dynamic shared memory
  std::uint32_t declared_shared_bytes = 0;  ///< of the static variables alone, however they are laid out
  std::uint32_t dynamic_shared_offset = 0;
  std::array<std::uint32_t, 3> required_threads{};
  std::vector<MatrixOperation> matrix_operations;   ///< by Instruction::c
  std::array<std::uint32_t, 3> required_cluster{};  ///< zeros: none
  /// Shared memory that the system keeps for cooperative groups, where the kernel asks for it.
  std::uint32_t reserved_shared_offset = 0, reserved_shared_bytes = 0;
  bool meets_grid = false;  ///< asks where the blocks of a cooperative launch meet

  /// What a call through a pointer of this value runs; null when it is no function that can be called so.
  const Function* function_at(std::uint64_t address) const {
    const std::uint64_t index = address - program->functions_begin;
    return index < by_index.size() ? by_index[index] : nullptr;
  }
};

}  // namespace lockstep::emulator::program
