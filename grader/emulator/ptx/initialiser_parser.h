// Initialisers of variables: numbers, floats, addresses, nested braces. curand brings a megabyte of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/ptx/declaration_parser.h"
#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

/// A name in an initialiser, to be looked up once the whole text was read.
struct InitialiserSymbol {
  std::string_view name;
  std::uint32_t line = 0;
};

/// Reads what follows '=' into declarator.variable: initial bytes, relocations, the size of an open array.
/// `padding_budget` bounds the zeros that nested braces may leave between values, for the whole text, so that
/// memory stays linear in what was written.
void parse_initialiser(Lexer& lexer, Declarator& declarator, const DeclarationPrefix& prefix,
                       std::uint64_t& padding_budget, std::vector<InitialiserSymbol>& symbols);

}  // namespace lockstep::emulator::ptx
