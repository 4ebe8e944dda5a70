// A PTX translation unit from its first directive to its debug sections.
//
// One pass, one token ahead. What can only be known at the end waits for it: names of inlined functions stand
// in `.section .debug_str` behind the code, initialisers may name what is declared later.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/ptx/debug_strings.h"
#include "emulator/ptx/declaration_parser.h"
#include "emulator/ptx/function_parser.h"
#include "emulator/ptx/initialiser_parser.h"
#include "emulator/ptx/lexer.h"
#include "emulator/ptx/location_table.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/scopes.h"
#include "emulator/ptx/tree_bytes.h"

namespace lockstep::emulator::ptx {
namespace {

// Indices and lines are 32 bits wide; no compiler writes this much.
constexpr std::size_t kLongestText = std::size_t{1} << 30;
constexpr std::size_t kLongestFileName = 4096;
/// A function without its body, what a device knows of each besides, and its name in three tables.
constexpr std::size_t kFunctionBytes = grown_bytes<Function>() + 5 * kNodeBytes + 2 * sizeof(std::string);
constexpr std::size_t kFileBytes = kNodeBytes + 2 * kBlockBytes + sizeof(std::string);

class ModuleParser {
 public:
  ModuleParser(std::string_view text, std::size_t most_bytes)
      : lexer_(text, most_bytes), padding_budget_(4096 + 16 * text.size()) {}

  Module parse() {
    parse_preamble();
    while (lexer_.peek().kind != Token::Kind::end) parse_item();
    name_locations();
    check_initialisers();
    module_.bytes = lexer_.charged();
    return std::move(module_);
  }

 private:
  void parse_preamble() {
    if (!lexer_.accept_dotted("version")) lexer_.fail_expected("'.version'");
    if (lexer_.peek().kind != Token::Kind::number) lexer_.fail_expected("a version");
    module_.version = lexer_.take().text;
    if (!lexer_.accept_dotted("target")) lexer_.fail_expected("'.target'");
    module_.target = lexer_.expect_word("a target such as sm_90");
    while (lexer_.accept(',')) lexer_.expect_word("a target's option");
    if (lexer_.accept_dotted("address_size") && lexer_.expect_unsigned("an address size") != 64) {
      lexer_.fail("addresses of other than 64 bits");
    }
  }

  void parse_item() {
    if (lexer_.accept(';')) return;
    bool external = false;
    Linkage linkage = Linkage::own;
    while (lexer_.peek().kind == Token::Kind::dotted) {
      const std::string_view word = lexer_.peek().text;
      if (word == "extern") {
        external = true;
      } else if (word == "visible") {
        linkage = Linkage::visible;
      } else if (word == "weak") {
        linkage = Linkage::weak;
      } else if (word == "common") {
        linkage = Linkage::common;
      } else {
        break;
      }
      lexer_.take();
    }
    const std::string_view word = lexer_.expect_dotted("a directive");
    if (word == "entry" || word == "func") return parse_function(word == "entry", external, linkage);
    if (word == "file") return parse_file();
    if (word == "section") return parse_section();
    if (word == "pragma") {
      if (lexer_.take().kind != Token::Kind::string) lexer_.fail("a .pragma without a string");
      return lexer_.expect(';');
    }
    const auto space = space_from(word);
    if (!space || *space == Space::param) lexer_.fail("directive " + quoted(word) + " is not supported here");
    parse_variables(*space, external, linkage);
  }

  void parse_variables(Space space, bool external, Linkage linkage) {
    const DeclarationPrefix prefix = parse_declaration_prefix(lexer_, space);
    do {
      Declarator declarator = parse_declarator(lexer_, prefix);
      declarator.variable.external = external;
      declarator.variable.linkage = linkage;
      const bool unsized = !declarator.extents.empty() && declarator.extents.front() == 0;
      if (unsized) declarator.variable.bytes = 0;
      if (lexer_.accept('=')) {
        parse_initialiser(lexer_, declarator, prefix, padding_budget_, initialiser_symbols_);
      } else if (unsized && !external) {
        throw ParseError(declarator.line, quoted(declarator.name) + " has no size");
      }
      add_variable(std::move(declarator));
    } while (lexer_.accept(','));
    lexer_.expect(';');
  }

  void add_variable(Declarator declarator) {
    const auto next = static_cast<std::uint32_t>(module_.variables.size());
    const auto [symbol, added] = symbols_.try_emplace(declarator.name, ModuleSymbol{false, next});
    if (added) {
      module_.variables.push_back(std::move(declarator.variable));
      return;
    }
    Variable* known = symbol->second.function ? nullptr : &module_.variables[symbol->second.index];
    if (known == nullptr || (!known->external && !declarator.variable.external)) {
      throw ParseError(declarator.line, quoted(declarator.name) + " is declared twice");
    }
    if (known->external) *known = std::move(declarator.variable);
  }

  void parse_function(bool entry, bool external, Linkage linkage) {
    const std::uint32_t line = lexer_.peek().line;
    std::string_view name;
    Function header = parse_function_header(lexer_, entry, name);
    lexer_.charge(kFunctionBytes + 2 * tree_bytes(header.name));
    const bool has_body = !external && lexer_.peek().is('{');
    header.external = !has_body;
    header.linkage = linkage;
    const std::uint32_t index = add_function(std::move(header), name, line);
    if (!has_body) return lexer_.expect(';');
    Function& function = module_.functions[index];
    LocationTable locations(function, index, unnamed_locations_);
    FunctionBodyParser(lexer_, function, symbols_, locations).parse();
  }

  /// A definition takes the place of its earlier declarations; later declarations add nothing.
  std::uint32_t add_function(Function header, std::string_view name, std::uint32_t line) {
    const auto next = static_cast<std::uint32_t>(module_.functions.size());
    const auto [symbol, added] = symbols_.try_emplace(name, ModuleSymbol{true, next});
    if (added) {
      module_.functions.push_back(std::move(header));
      return next;
    }
    const std::uint32_t index = symbol->second.index;
    const bool variable = !symbol->second.function;
    if (variable || (!module_.functions[index].external && !header.external)) {
      throw ParseError(line, quoted(name) + " is declared twice");
    }
    if (module_.functions[index].external) module_.functions[index] = std::move(header);
    return index;
  }

  void parse_file() {
    const std::uint32_t number = lexer_.expect_unsigned_32("a file's number");
    if (lexer_.peek().kind != Token::Kind::string) lexer_.fail_expected("a file's name");
    // It is copied to each place in the code. No path is longer.
    if (lexer_.peek().text.size() > kLongestFileName) lexer_.fail("a file's name of more than 4096 bytes");
    lexer_.charge(kFileBytes + lexer_.peek().text.size());
    std::string& name = module_.files[number] = unescaped(lexer_.take());
    // A #line may name anything, and a name is shown within a line.
    const auto breaks_lines = [](unsigned char character) { return character < ' ' || character == 0x7F; };
    std::replace_if(name.begin(), name.end(), breaks_lines, '?');
    while (lexer_.accept(',')) lexer_.expect_unsigned("a time or a size");
  }

  void parse_section() {
    const std::uint32_t line = lexer_.peek().line;
    const std::string_view name = lexer_.peek().kind == Token::Kind::dotted
                                      ? lexer_.take().text
                                      : lexer_.expect_word("a section's name");
    lexer_.expect('{');
    if (name == "debug_str") {
      debug_strings_.parse(lexer_);
      return;
    }
    while (!lexer_.accept('}')) {
      if (lexer_.take().kind == Token::Kind::end) throw ParseError(line, "a section that does not end");
    }
  }

  void name_locations() {
    for (const UnnamedLocation& unnamed : unnamed_locations_) {
      Location& location = module_.functions[unnamed.function].locations[unnamed.location];
      location.function = debug_strings_.at(unnamed.name);
      lexer_.charge(tree_bytes(location.function));
    }
  }

  void check_initialisers() {
    for (const InitialiserSymbol& symbol : initialiser_symbols_) {
      if (!symbols_.contains(symbol.name))
        throw ParseError(symbol.line, quoted(symbol.name) + " is not declared");
    }
    for (Variable& variable : module_.variables) {
      for (Relocation& relocation : variable.relocations) {
        const auto symbol = symbols_.find(relocation.symbol);
        relocation.generic = relocation.generic || (symbol != symbols_.end() && symbol->second.function);
      }
    }
  }

  Lexer lexer_;
  Module module_;
  ModuleSymbols symbols_;
  DebugStrings debug_strings_;
  std::vector<UnnamedLocation> unnamed_locations_;
  std::vector<InitialiserSymbol> initialiser_symbols_;
  std::uint64_t padding_budget_;
};

}  // namespace

Module parse(std::string_view text, std::size_t most_bytes) {
  if (text.size() > kLongestText) throw ParseError(1, "the text is longer than a gigabyte");
  return ModuleParser(text, most_bytes).parse();
}

}  // namespace lockstep::emulator::ptx
