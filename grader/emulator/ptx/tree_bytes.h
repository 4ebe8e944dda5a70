// What the parts of a tree take of memory, so that a text of a few bytes a part cannot take all of it.
//
// A part is charged to the lexer when it is parsed (Lexer::charge): about its bytes with what vectors hold in
// reserve, and its entries in the tables that last as long as the parser. `tests/ptx/tree_bytes_test.cpp`
// compares both with what the heap says.
#pragma once

#include <cstddef>
#include <string>

#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

/// Of a block of the heap besides its contents, and of a node of a map besides its key and value.
inline constexpr std::size_t kBlockBytes = 16, kNodeBytes = 48;

/// Bytes of `n` elements of a vector that has grown to hold them.
template <class T>
constexpr std::size_t grown_bytes(std::size_t n = 1) {
  return 2 * n * sizeof(T);
}

/// Of a string beyond the object itself.
inline std::size_t tree_bytes(const std::string& text) {
  constexpr std::size_t kInside = 15;
  return text.size() <= kInside ? 0 : text.size() + kBlockBytes;
}

/// Of an operand beyond the object itself.
std::size_t tree_bytes(const Operand& operand);
/// Of an instruction, an element of its function's vector, with all that it holds.
std::size_t tree_bytes(const Instruction& instruction);

}  // namespace lockstep::emulator::ptx
