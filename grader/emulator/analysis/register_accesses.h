// Which registers an instruction reads, and which it writes.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "emulator/ptx/module.h"

namespace lockstep::emulator {

/// Instructions whose first operand is read, not written.
inline bool writes_nothing(std::string_view opcode) {
  static const std::set<std::string_view> kReaders = {
      "st",   "red",    "bar",   "barrier", "brx",      "bra",       "call",      "ret",     "exit",
      "trap", "membar", "fence", "cp",      "prefetch", "prefetchu", "nanosleep", "pmevent", "brkpt"};
  return kReaders.contains(opcode);
}

template <class F>
void for_registers(const ptx::Operand& operand, F f) {
  if (operand.kind == ptx::Operand::Kind::reg) f(operand.index);
  for (const ptx::Operand& element : operand.elements) for_registers(element, f);
}

/// Whether the first operand is a result.
inline bool writes_first(const ptx::Instruction& instruction) {
  return !instruction.operands.empty() && !writes_nothing(instruction.opcode) &&
         instruction.operands[0].kind != ptx::Operand::Kind::address;
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

}  // namespace lockstep::emulator
