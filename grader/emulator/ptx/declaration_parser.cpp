// Declarations of variables and parameters.
#include "emulator/ptx/declaration_parser.h"

#include <bit>
#include <utility>

#include "emulator/ptx/tree_bytes.h"

namespace lockstep::emulator::ptx {
namespace {

constexpr std::uint32_t kLargestAlignment = 1 << 16;
constexpr std::size_t kMaxExtents = 8;
/// With its name in the tables of a scope and of the function.
constexpr std::size_t kVariableBytes =
    grown_bytes<Variable>() + grown_bytes<std::string>() + 2 * (kNodeBytes + sizeof(std::string));

std::uint32_t parse_alignment(Lexer& lexer) {
  const std::uint32_t alignment = lexer.expect_unsigned_32("an alignment");
  if (!std::has_single_bit(alignment) || alignment > kLargestAlignment) {
    lexer.fail("an alignment of " + std::to_string(alignment) + " bytes");
  }
  return alignment;
}

std::optional<unsigned> vector_width_from(std::string_view word) {
  if (word == "v2") return 2;
  if (word == "v4") return 4;
  if (word == "v8") return 8;
  return std::nullopt;
}

/// `.ptr .space .align n` says what a parameter points to, which no check here needs.
void skip_pointer_attribute(Lexer& lexer) {
  if (lexer.peek().kind == Token::Kind::dotted && space_from(lexer.peek().text)) lexer.take();
  if (lexer.accept_dotted("align")) parse_alignment(lexer);
}

std::vector<std::uint64_t> parse_extents(Lexer& lexer) {
  std::vector<std::uint64_t> extents;
  while (lexer.accept('[')) {
    if (extents.size() == kMaxExtents) lexer.fail("an array of too many dimensions");
    if (lexer.peek().is(']')) {
      if (!extents.empty()) lexer.fail("only an array's first dimension may be left open");
      extents.push_back(0);
    } else {
      const std::uint64_t extent = lexer.expect_unsigned("an array's size");
      if (extent == 0) lexer.fail("an array of no elements");
      extents.push_back(extent);
    }
    lexer.expect(']');
  }
  return extents;
}

std::uint64_t bytes_claimed(const Lexer& lexer, std::uint64_t element,
                            const std::vector<std::uint64_t>& extents) {
  std::uint64_t bytes = element;
  for (std::uint64_t extent : extents) {
    if (extent != 0 && bytes > kLargestVariable / extent) lexer.fail("a variable larger than any memory");
    bytes *= extent;
  }
  return bytes;
}

}  // namespace

std::optional<Space> space_from(std::string_view word) {
  if (word == "global") return Space::global;
  if (word == "shared") return Space::shared;
  if (word == "local") return Space::local;
  if (word == "const") return Space::constant;
  if (word == "param") return Space::param;
  return std::nullopt;
}

DeclarationPrefix parse_declaration_prefix(Lexer& lexer, Space space) {
  DeclarationPrefix prefix;
  prefix.space = space;
  while (lexer.peek().kind == Token::Kind::dotted) {
    const std::string_view word = lexer.peek().text;
    if (const auto type = type_from(word)) {
      if (prefix.type != Type::none) lexer.fail("a declaration with two types");
      prefix.type = *type;
      lexer.take();
    } else if (const auto width = vector_width_from(word)) {
      prefix.vector_width = *width;
      lexer.take();
    } else if (lexer.accept_dotted("align")) {
      prefix.alignment = parse_alignment(lexer);
    } else if (lexer.accept_dotted("ptr")) {
      skip_pointer_attribute(lexer);
    } else if (lexer.accept_dotted("attribute")) {
      prefix.managed = skip_group(lexer, "managed") || prefix.managed;
    } else {
      lexer.fail_expected("a type that variables may have");
    }
  }
  if (prefix.type == Type::none) lexer.fail_expected("a type");
  if (prefix.type == Type::pred) lexer.fail("a predicate cannot be a variable in memory");
  return prefix;
}

Declarator parse_declarator(Lexer& lexer, const DeclarationPrefix& prefix) {
  Declarator declarator;
  declarator.line = lexer.peek().line;
  declarator.name = lexer.expect_word("a variable's name");
  if (declarator.name.starts_with('%')) {
    throw ParseError(declarator.line, quoted(declarator.name) + " is a register's name, not a variable's");
  }
  declarator.extents = parse_extents(lexer);
  Variable& variable = declarator.variable;
  variable.name = declarator.name;
  variable.space = prefix.space;
  variable.type = prefix.type;
  variable.managed = prefix.managed;
  const std::uint32_t element = bytes_of(prefix.type) * prefix.vector_width;
  variable.alignment = prefix.alignment != 0 ? prefix.alignment : element;
  variable.bytes = bytes_claimed(lexer, element, declarator.extents);
  lexer.charge(kVariableBytes + 2 * tree_bytes(variable.name));
  return declarator;
}

std::vector<Variable> parse_parameters(Lexer& lexer) {
  std::vector<Variable> parameters;
  lexer.expect('(');
  if (lexer.accept(')')) return parameters;
  do {
    if (lexer.peek().is_dotted("reg")) lexer.fail("parameters in registers, which only old PTX has");
    if (!lexer.accept_dotted("param")) lexer.fail_expected("'.param'");
    const DeclarationPrefix prefix = parse_declaration_prefix(lexer, Space::param);
    parameters.push_back(parse_declarator(lexer, prefix).variable);
  } while (lexer.accept(','));
  lexer.expect(')');
  return parameters;
}

bool skip_group(Lexer& lexer, std::string_view word) {
  lexer.expect('(');
  bool found = false;
  for (std::size_t depth = 1; depth > 0;) {
    const Token token = lexer.take();
    if (token.kind == Token::Kind::end) throw ParseError(token.line, "a '(' that is not closed");
    if (token.is('(')) ++depth;
    if (token.is(')')) --depth;
    found = found || (depth == 1 && token.is_dotted(word));
  }
  return found;
}

}  // namespace lockstep::emulator::ptx
