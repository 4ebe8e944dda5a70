// Which registers an instruction reads, and which it writes.
#pragma once

#include <cstdint>

#include "emulator/instructions/opcode.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::analysis {

template <class F>
void for_registers(const ptx::Operand& operand, F f) {
  if (operand.kind == ptx::Operand::Kind::reg) f(operand.index);
  for (const ptx::Operand& element : operand.elements) for_registers(element, f);
}

/// Whether the first operand is a result.
inline bool writes_first(const ptx::Instruction& instruction) {
  if (instruction.operands.empty()) return false;
  switch (instructions::opcode_named(instruction.opcode).result) {
    case instructions::Result::no_result:
      return false;
    case instructions::Result::first:
      return true;
    case instructions::Result::first_unless_address:
      return instruction.operands[0].kind != ptx::Operand::Kind::address;
    case instructions::Result::first_of_red:
      return instruction.has("red");
  }
  return false;
}

/// Calls read(register) and write(register) for all that an instruction touches, reads first.
template <class Read, class Write>
void for_accesses(const ptx::Instruction& instruction, Read read, Write write) {
  const bool writes = writes_first(instruction);
  if (instruction.guard >= 0) read(static_cast<std::uint32_t>(instruction.guard));
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    if (k > 0 || !writes || instruction.guard >= 0) for_registers(instruction.operands[k], read);
  }
  if (writes) for_registers(instruction.operands[0], write);
}

}  // namespace lockstep::emulator::analysis
