// Number literals of PTX: integers in four bases, floats as IEEE bits (0f…, 0d…) or in decimal.
#pragma once

#include <cstdint>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

struct Literal {
  Operand::ImmediateType type = Operand::ImmediateType::integer;
  std::uint64_t bits = 0;

  /// The same value with the other sign; a float keeps its payload.
  Literal negated() const;
  /// A float's bits in the width of f32 or f64, rounded to nearest.
  std::uint64_t float_bits(bool wide) const;
};

/// Throws ParseError when the token's text is no number that fits.
Literal parse_literal(const Token& number);

/// An optional '-', then a number.
Literal parse_signed_literal(Lexer& lexer);

}  // namespace lockstep::emulator::ptx
