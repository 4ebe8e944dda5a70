// Declarations of variables and parameters: `.global .align 4 .b8 table[2][3]`, up to an initialiser.
// A size is a number that the text claims: it is checked for overflow and otherwise believed, never
// allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

/// Leaves room for the machine to add offsets to sizes without overflow.
inline constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 62;

/// What stands before the names of a declaration and holds for all of them.
struct DeclarationPrefix {
  Space space = Space::global;
  Type type = Type::none;
  unsigned vector_width = 1;
  std::uint32_t alignment = 0;  ///< 0 when not given
  bool managed = false;
};

struct Declarator {
  std::string_view name;
  std::uint32_t line = 0;
  std::vector<std::uint64_t> extents;  ///< of an array, outermost first; 0 where unsized
  Variable variable;
};

/// The space that a directive's word names; nothing for other words.
std::optional<Space> space_from(std::string_view word);

/// Everything from after the space's word to the name.
DeclarationPrefix parse_declaration_prefix(Lexer& lexer, Space space);

Declarator parse_declarator(Lexer& lexer, const DeclarationPrefix& prefix);

/// `( .param …, .param … )`, as functions and prototypes have; a name may be `_`.
std::vector<Variable> parse_parameters(Lexer& lexer);

/// Passes over a parenthesised group; true when it holds `.word` at its top level.
bool skip_group(Lexer& lexer, std::string_view word);

}  // namespace lockstep::emulator::ptx
