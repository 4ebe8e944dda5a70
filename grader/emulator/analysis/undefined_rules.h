// What undefined bits of operands make of a result's bits, instruction by instruction.
// Source: as undefined_values.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "emulator/instructions/opcode.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::analysis {

using instructions::Flow;

/// As the instruction's row says, except for forms whose modifiers make a difference.
Flow flow_of(const ptx::Instruction& instruction);

/// Whether undefined bits stay where they are: what lies beside a member of a bit field does, when it is set.
bool keeps_places(Flow flow);

/// An operand in one lane.
struct OperandBits {
  std::uint64_t undefined = 0;
  std::optional<std::uint64_t> value;  ///< nothing where the rules may not build on it
};

/// The undefined bits of the result, at least one of the operands' being undefined. `flow` is one of those
/// that calculate a result from operands alone; bits beyond the result's width are of no meaning.
std::uint64_t undefined_result(Flow flow, const ptx::Instruction& instruction,
                               std::span<const OperandBits> operands);

/// The type that an instruction names last: of a load, store or move its own, of a conversion the source's.
ptx::Type last_type(const ptx::Instruction& instruction);
bool is_signed(ptx::Type type);
/// Of a register of this type; a predicate has one.
unsigned bits_of(ptx::Type type);
/// The lowest `count` bits.
std::uint64_t low_bits(unsigned count);
/// Bits from `from` up are as undefined as the sign, when that is.
std::uint64_t extend_sign(std::uint64_t undefined, unsigned from);

}  // namespace lockstep::emulator::analysis
