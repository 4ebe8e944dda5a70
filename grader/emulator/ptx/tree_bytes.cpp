// Operands nest as deep as the parser lets them: a few levels.
#include "emulator/ptx/tree_bytes.h"

namespace lockstep::emulator::ptx {
namespace {

/// Of a vector beyond the object itself, with what its elements hold.
template <class T>
std::size_t bytes_of_elements(const std::vector<T>& elements) {
  if (elements.capacity() == 0) return 0;
  std::size_t bytes = elements.capacity() * sizeof(T) + kBlockBytes;
  for (const T& element : elements) bytes += tree_bytes(element);
  return bytes;
}

}  // namespace

std::size_t tree_bytes(const Operand& operand) {
  return tree_bytes(operand.name) + bytes_of_elements(operand.elements);
}

std::size_t tree_bytes(const Instruction& instruction) {
  return grown_bytes<Instruction>() + tree_bytes(instruction.opcode) +
         bytes_of_elements(instruction.modifiers) + bytes_of_elements(instruction.operands);
}

}  // namespace lockstep::emulator::ptx
