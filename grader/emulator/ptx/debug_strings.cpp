// `.section .debug_str`.
#include "emulator/ptx/debug_strings.h"

#include <algorithm>

#include "emulator/ptx/tree_bytes.h"

namespace lockstep::emulator::ptx {
namespace {

// Each location has its own copy of the name: a bound keeps them linear in the text that refers to it.
constexpr std::size_t kLongestName = 4096;

}  // namespace

void DebugStrings::parse(Lexer& lexer) {
  while (!lexer.accept('}')) {
    if (lexer.peek().kind == Token::Kind::word) {
      const std::uint32_t line = lexer.peek().line;
      const std::string_view label = lexer.take().text;
      lexer.expect(':');
      lexer.charge(kNodeBytes + sizeof(std::string_view) + sizeof(std::size_t));
      if (!labels_.try_emplace(label, bytes_.size()).second) {
        throw ParseError(line, "label " + quoted(label) + " is declared twice");
      }
      continue;
    }
    if (!lexer.accept_dotted("b8")) lexer.fail_expected("a label, '.b8' or '}'");
    do {
      bytes_ += static_cast<char>(lexer.expect_unsigned("a byte") & 0xFF);
      lexer.charge(2);
    } while (lexer.accept(','));
  }
}

std::string DebugStrings::at(const DebugStringReference& reference) const {
  const auto label = labels_.find(reference.label);
  if (label == labels_.end() || reference.offset > bytes_.size() - label->second) {
    throw ParseError(reference.line, quoted(reference.label) + " names no string in .debug_str");
  }
  const std::string_view rest =
      std::string_view(bytes_).substr(label->second + reference.offset).substr(0, kLongestName);
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace lockstep::emulator::ptx
