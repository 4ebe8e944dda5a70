// One instruction: opcode, modifiers and operands, with names resolved and meaning left alone.
#pragma once

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/scopes.h"

namespace lockstep::emulator::ptx {

struct Guard {
  std::int32_t predicate = -1;  ///< register index
  bool negated = false;
};

/// What follows '@'.
Guard parse_guard(Lexer& lexer, Scopes& scopes, const Function& function);

/// The rest of an instruction whose opcode was taken; adds it to function.instructions.
void parse_instruction(Lexer& lexer, Scopes& scopes, Function& function, const Token& opcode, Guard guard,
                       std::int32_t location);

}  // namespace lockstep::emulator::ptx
