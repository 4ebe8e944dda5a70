// Instructions and their operands. Lists nest by recursion with a depth limit; everything else is a loop.
#include "emulator/ptx/instruction_parser.h"

#include <utility>

#include "emulator/ptx/literal.h"

namespace lockstep::emulator::ptx {
namespace {

constexpr unsigned kDeepestOperand = 8;
/// Of one instruction, in all its lists: a call has most, of which a parameter block takes no more bytes.
constexpr std::size_t kMaxOperands = 1 << 15;
/// Instructions have a dozen at most.
constexpr std::size_t kMaxModifiers = 64;
constexpr std::uint64_t kWarpLanes = 32;

class OperandParser {
 public:
  OperandParser(Lexer& lexer, Scopes& scopes) : lexer_(lexer), scopes_(scopes) {}

  /// An operand that may be a label, which stays unresolved.
  Operand parse(unsigned depth = 0) {
    Operand first = parse_single(depth);
    if (!lexer_.accept('|')) return first;
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.elements.push_back(resolved(std::move(first)));
    pair.elements.push_back(resolved(parse_single(depth)));
    return pair;
  }

 private:
  Operand parse_single(unsigned depth) {
    if (depth == kDeepestOperand) lexer_.fail("operands are nested too deep");
    if (++operands_ > kMaxOperands) lexer_.fail("an instruction of too many operands");
    const Token& token = lexer_.peek();
    if (token.kind == Token::Kind::word) return parse_name();
    if (token.kind == Token::Kind::number || token.is('-')) return parse_immediate();
    if (lexer_.accept('[')) return parse_address(depth);
    if (lexer_.accept('{')) return parse_list('}', depth);
    if (lexer_.accept('(')) return parse_list(')', depth);
    if (lexer_.accept('!')) {
      Operand operand = parse_name();
      if (operand.kind != Operand::Kind::reg) lexer_.fail("'!' before something other than a predicate");
      operand.negated = true;
      return operand;
    }
    lexer_.fail_expected("an operand");
  }

  Operand parse_immediate() {
    const Literal literal = parse_signed_literal(lexer_);
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.immediate_type = literal.type;
    operand.bits = literal.bits;
    return operand;
  }

  /// A word, its component, and for a symbol its offset.
  Operand parse_name() {
    Operand operand = parse_word();
    if (operand.kind == Operand::Kind::symbol) operand.offset = parse_offset();
    return operand;
  }

  Operand parse_word() {
    if (lexer_.peek().kind != Token::Kind::word) lexer_.fail_expected("a name");
    const Token word = lexer_.take();
    if (word.text == "_") return Operand{};
    std::string_view component;
    if (lexer_.peek().kind == Token::Kind::dotted) component = lexer_.take().text;
    Operand operand = scopes_.resolve(word, component);
    if (operand.kind == Operand::Kind::label && word.text == "WARP_SZ") {
      operand.kind = Operand::Kind::immediate;
      operand.bits = kWarpLanes;
      operand.name.clear();
    }
    return operand;
  }

  /// `+8`, `+-8`, `-8` or nothing.
  std::int64_t parse_offset() {
    if (lexer_.accept('+') || lexer_.peek().is('-')) return lexer_.expect_integer("an offset");
    return 0;
  }

  /// `[base + offset]`; tensor copies have coordinates after the base, which become further elements.
  Operand parse_address(unsigned depth) {
    Operand address;
    address.kind = Operand::Kind::address;
    const Token& token = lexer_.peek();
    const bool number = token.kind == Token::Kind::number || token.is('-');
    Operand base = number ? parse_immediate() : resolved(parse_word());
    if (base.kind == Operand::Kind::list || base.kind == Operand::Kind::sink) {
      lexer_.fail("an address that is neither a register nor a symbol nor a number");
    }
    if (base.kind == Operand::Kind::immediate && base.immediate_type != Operand::ImmediateType::integer) {
      lexer_.fail("an address that is a float");
    }
    address.offset = parse_offset();
    address.elements.push_back(std::move(base));
    while (lexer_.accept(',')) address.elements.push_back(resolved(parse(depth + 1)));
    lexer_.expect(']');
    return address;
  }

  Operand parse_list(char closing, unsigned depth) {
    Operand list;
    list.kind = Operand::Kind::list;
    if (lexer_.accept(closing)) return list;
    do {
      list.elements.push_back(resolved(parse(depth + 1)));
    } while (lexer_.accept(','));
    lexer_.expect(closing);
    return list;
  }

  /// Labels stand alone; inside another operand a name must be one that is declared.
  Operand resolved(Operand operand) const {
    if (operand.kind == Operand::Kind::label) lexer_.fail(ptx::quoted(operand.name) + " is not declared");
    return operand;
  }

  Lexer& lexer_;
  Scopes& scopes_;
  std::size_t operands_ = 0;
};

}  // namespace

Guard parse_guard(Lexer& lexer, Scopes& scopes, const Function& function) {
  Guard guard;
  guard.negated = lexer.accept('!');
  if (lexer.peek().kind != Token::Kind::word) lexer.fail_expected("a predicate");
  const Operand predicate = scopes.resolve(lexer.take(), {});
  if (predicate.kind != Operand::Kind::reg || function.registers[predicate.index].type != Type::pred) {
    lexer.fail("a guard that is no predicate");
  }
  guard.predicate = static_cast<std::int32_t>(predicate.index);
  return guard;
}

void parse_instruction(Lexer& lexer, Scopes& scopes, Function& function, const Token& opcode, Guard guard,
                       std::int32_t location) {
  Instruction& instruction = function.instructions.emplace_back();
  instruction.opcode = opcode.text;
  instruction.guard = guard.predicate;
  instruction.guard_negated = guard.negated;
  instruction.location = location;
  instruction.ptx_line = opcode.line;
  while (lexer.peek().kind == Token::Kind::dotted) {
    if (instruction.modifiers.size() == kMaxModifiers) lexer.fail("an instruction of too many modifiers");
    instruction.modifiers.emplace_back(lexer.take().text);
  }
  if (!lexer.accept(';')) {
    OperandParser operands(lexer, scopes);
    do {
      instruction.operands.push_back(operands.parse());
    } while (lexer.accept(','));
    lexer.expect(';');
  }
  for (Operand& operand : instruction.operands) {
    if (operand.kind == Operand::Kind::label) scopes.await_label(operand, opcode.line);
  }
}

}  // namespace lockstep::emulator::ptx
