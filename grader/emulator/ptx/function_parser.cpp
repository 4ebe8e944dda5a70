// Functions. Blocks nest by the depth of Scopes, not by recursion.
#include "emulator/ptx/function_parser.h"

#include <array>
#include <utility>

#include "emulator/ptx/declaration_parser.h"
#include "emulator/ptx/tree_bytes.h"

namespace lockstep::emulator::ptx {
namespace {

/// With its name in a scope, or its number in a range.
constexpr std::size_t kRegisterBytes = grown_bytes<Register>() + kNodeBytes + 2 * sizeof(std::string_view);
/// With what LocationTable knows of it.
constexpr std::size_t kLocationBytes = grown_bytes<Location>() + grown_bytes<UnnamedLocation>() +
                                       2 * kNodeBytes + 3 * sizeof(DebugStringReference);
/// In a scope, and in the function where it names a list.
constexpr std::size_t kLabelBytes = 3 * kNodeBytes + 3 * sizeof(std::string);

/// `x`, `x, y` or `x, y, z`; what is not given is 1.
std::array<std::uint32_t, 3> parse_extent(Lexer& lexer) {
  std::array<std::uint32_t, 3> extent{1, 1, 1};
  for (std::size_t i = 0; i < extent.size(); ++i) {
    if (i > 0 && !lexer.accept(',')) break;
    extent[i] = lexer.expect_unsigned_32("a number of threads or blocks");
  }
  return extent;
}

/// One directive between a header and its body.
void parse_header_directive(Lexer& lexer, Function& function) {
  const Token directive = lexer.take();
  const std::string_view word = directive.text;
  if (word == "maxntid") {
    function.max_threads = parse_extent(lexer);
  } else if (word == "reqntid") {
    function.required_threads = parse_extent(lexer);
  } else if (word == "minnctapersm") {
    function.min_blocks_per_multiprocessor = lexer.expect_unsigned_32("a number of blocks");
  } else if (word == "reqnctapercluster") {
    function.cluster = parse_extent(lexer);
  } else if (word == "maxnreg" || word == "maxnctapersm" || word == "maxclusterrank" ||
             word == "abi_preserve" || word == "abi_preserve_control") {
    lexer.expect_unsigned("a number");
  } else if (word == "pragma") {
    if (lexer.take().kind != Token::Kind::string)
      throw ParseError(directive.line, "a .pragma without a string");
    lexer.expect(';');
  } else if (word == "attribute") {
    skip_group(lexer, {});
  } else if (word != "noreturn" && word != "explicitcluster" && word != "blocksareclusters") {
    throw ParseError(directive.line,
                     "directive ." + std::string(word.substr(0, 60)) + " after a function's header");
  }
}

}  // namespace

Function parse_function_header(Lexer& lexer, bool entry, std::string_view& name) {
  Function function;
  function.entry = entry;
  function.ptx_line = lexer.peek().line;
  if (lexer.accept_dotted("attribute")) skip_group(lexer, {});
  if (!entry && lexer.peek().is('(')) function.returns = parse_parameters(lexer);
  name = lexer.expect_word("a function's name");
  function.name = name;
  if (lexer.peek().is('(')) function.parameters = parse_parameters(lexer);
  while (lexer.peek().kind == Token::Kind::dotted) parse_header_directive(lexer, function);
  return function;
}

FunctionBodyParser::FunctionBodyParser(Lexer& lexer, Function& function, const ModuleSymbols& symbols,
                                       LocationTable& locations)
    : lexer_(lexer),
      function_(function),
      scopes_(function, symbols, lexer.peek().line),
      locations_(locations) {}

void FunctionBodyParser::parse() {
  lexer_.expect('{');
  while (scopes_.depth() > 0) {
    parse_statement();
    charge_growth();
  }
}

/// Charges what the latest statement has added to the function; a declaration has charged its variables.
void FunctionBodyParser::charge_growth() {
  const auto grown = [](std::size_t& known, std::size_t now) { return now - std::exchange(known, now); };
  if (grown(charged_instructions_, function_.instructions.size()) != 0) {
    lexer_.charge(tree_bytes(function_.instructions.back()));
  }
  lexer_.charge(grown(charged_registers_, function_.registers.size()) * kRegisterBytes);
  lexer_.charge(grown(charged_locations_, function_.locations.size()) * kLocationBytes);
}

void FunctionBodyParser::parse_statement() {
  const Token& token = lexer_.peek();
  if (token.kind == Token::Kind::word) return parse_word();
  if (token.kind == Token::Kind::dotted) return parse_directive();
  if (lexer_.accept('{')) return scopes_.open(token.line);
  if (lexer_.accept('}')) return scopes_.close();
  if (lexer_.accept(';')) return;
  if (lexer_.accept('@')) {
    const Guard guard = parse_guard(lexer_, scopes_, function_);
    if (token.kind != Token::Kind::word) lexer_.fail_expected("an instruction");
    const Token opcode = lexer_.take();
    return parse_instruction(lexer_, scopes_, function_, opcode, guard, locations_.current());
  }
  lexer_.fail_expected("an instruction, a directive or '}'");
}

void FunctionBodyParser::parse_directive() {
  const Token directive = lexer_.take();
  if (directive.text == "loc") return locations_.parse(lexer_);
  if (directive.text == "reg") return parse_registers();
  if (directive.text == "pragma") {
    if (lexer_.take().kind != Token::Kind::string)
      throw ParseError(directive.line, "a .pragma without a string");
    return lexer_.expect(';');
  }
  const auto space = space_from(directive.text);
  if (!space) throw ParseError(directive.line, "directive " + quoted(directive.text) + " in a function");
  if (*space == Space::global || *space == Space::constant) {
    throw ParseError(directive.line, "a ." + std::string(directive.text) + " variable inside a function");
  }
  parse_variables(*space);
}

void FunctionBodyParser::parse_registers() {
  unsigned width = 1;
  if (lexer_.accept_dotted("v2")) width = 2;
  if (lexer_.accept_dotted("v4")) width = 4;
  const auto type = type_from(lexer_.expect_dotted("a register's type"));
  if (!type) lexer_.fail("a register of a type that registers do not have");
  do {
    const Token name = lexer_.peek();
    lexer_.expect_word("a register's name");
    if (lexer_.accept('<')) {
      const std::uint32_t count = lexer_.expect_unsigned_32("a number of registers");
      lexer_.expect('>');
      scopes_.declare_register_range(name.text, count, *type, width, name.line);
    } else {
      scopes_.declare_register(name.text, *type, width, name.line);
    }
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

void FunctionBodyParser::parse_variables(Space space) {
  const DeclarationPrefix prefix = parse_declaration_prefix(lexer_, space);
  do {
    Declarator declarator = parse_declarator(lexer_, prefix);
    if (declarator.variable.bytes == 0 || (!declarator.extents.empty() && declarator.extents.front() == 0)) {
      throw ParseError(declarator.line, quoted(declarator.name) + " has no size");
    }
    scopes_.declare_variable(std::move(declarator.variable), declarator.name, declarator.line);
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

void FunctionBodyParser::parse_word() {
  const Token word = lexer_.take();
  if (!lexer_.accept(':')) {
    return parse_instruction(lexer_, scopes_, function_, word, Guard{}, locations_.current());
  }
  lexer_.charge(kLabelBytes + 2 * word.text.size());
  if (lexer_.accept_dotted("branchtargets")) return parse_target_list(word, true);
  if (lexer_.accept_dotted("calltargets")) return parse_target_list(word, false);
  if (lexer_.accept_dotted("callprototype")) return parse_prototype(word);
  scopes_.declare_label(word.text, word.line);
}

void FunctionBodyParser::parse_target_list(const Token& label, bool labels) {
  std::vector<Operand>& targets = function_.target_lists[scopes_.declare_list(label.text, label.line)];
  do {
    Operand& target = targets.emplace_back();
    if (labels) {
      target.kind = Operand::Kind::label;
      target.name = lexer_.expect_word("a label");
    } else {
      if (lexer_.peek().kind != Token::Kind::word) lexer_.fail_expected("a function");
      target = scopes_.resolve(lexer_.take(), {});
      if (target.kind != Operand::Kind::symbol) lexer_.fail("a call target that is no function");
    }
    lexer_.charge(grown_bytes<Operand>() + tree_bytes(target));
  } while (lexer_.accept(','));
  lexer_.expect(';');
  if (!labels) return;
  for (Operand& target : targets) scopes_.await_label(target, label.line);
}

void FunctionBodyParser::parse_prototype(const Token& label) {
  Function::Prototype prototype;
  if (lexer_.peek().is('(')) prototype.returns = parse_parameters(lexer_);
  if (lexer_.expect_word("'_' where a function's name would stand") != "_") {
    lexer_.fail("a prototype with a name");
  }
  if (lexer_.peek().is('(')) prototype.parameters = parse_parameters(lexer_);
  Function ignored;
  while (lexer_.peek().kind == Token::Kind::dotted) parse_header_directive(lexer_, ignored);
  lexer_.expect(';');
  function_.prototypes[scopes_.declare_list(label.text, label.line)] = std::move(prototype);
}

}  // namespace lockstep::emulator::ptx
