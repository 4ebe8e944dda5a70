// Tokens of PTX. Every step consumes text, so the whole stream takes time linear in its length.
#include "emulator/ptx/lexer.h"

#include <algorithm>
#include <array>
#include <limits>

#include "emulator/ptx/literal.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {
namespace {

enum CharacterClass : std::uint8_t { kBlank = 1, kDigit = 2, kWordStart = 4, kWordPart = 8 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned char blank : {' ', '\t', '\n', '\r', '\f', '\v'}) classes[blank] = kBlank;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit | kWordPart;
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kWordStart | kWordPart;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kWordStart | kWordPart;
  for (unsigned char c : {'_', '$'}) classes[c] = kWordStart | kWordPart;
  classes['%'] = kWordStart;
  return classes;
}();

bool is(char c, CharacterClass which) { return (kClasses[static_cast<unsigned char>(c)] & which) != 0; }

}  // namespace

Lexer::Lexer(std::string_view text, std::size_t most_bytes) : text_(text), most_bytes_(most_bytes) {
  advance();
}

Token Lexer::take() {
  const Token taken = current_;
  advance();
  return taken;
}

bool Lexer::accept(char punctuation) {
  if (!current_.is(punctuation)) return false;
  advance();
  return true;
}

bool Lexer::accept_dotted(std::string_view word) {
  if (!current_.is_dotted(word)) return false;
  advance();
  return true;
}

void Lexer::expect(char punctuation) {
  if (!accept(punctuation)) fail_expected(std::string("'") + punctuation + "'");
}

std::string_view Lexer::expect_word(const char* what) {
  if (current_.kind != Token::Kind::word) fail_expected(what);
  return take().text;
}

std::string_view Lexer::expect_dotted(const char* what) {
  if (current_.kind != Token::Kind::dotted) fail_expected(what);
  return take().text;
}

std::uint64_t Lexer::expect_unsigned(const char* what) {
  if (current_.kind != Token::Kind::number) fail_expected(what);
  const Literal literal = parse_literal(current_);
  if (literal.type != Operand::ImmediateType::integer) fail_expected(what);
  advance();
  return literal.bits;
}

std::uint32_t Lexer::expect_unsigned_32(const char* what) {
  if (current_.kind != Token::Kind::number) fail_expected(what);
  const std::uint32_t line = current_.line;
  const std::uint64_t value = expect_unsigned(what);
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    throw ParseError(line, std::string(what) + " is larger than 32 bits");
  }
  return static_cast<std::uint32_t>(value);
}

std::int64_t Lexer::expect_integer(const char* what) {
  const bool negative = accept('-');
  const std::uint64_t magnitude = expect_unsigned(what);
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
}

void Lexer::charge(std::size_t bytes) {
  if (bytes > most_bytes_ - charged_) {
    fail("the program's code takes more memory than the emulated device has for it");
  }
  charged_ += bytes;
}

void Lexer::fail(const std::string& message) const { throw ParseError(current_.line, message); }

void Lexer::fail_expected(const std::string& what) const {
  if (current_.kind == Token::Kind::end) fail("expected " + what + ", found the end of the text");
  const std::string dot = current_.kind == Token::Kind::dotted ? "." : "";
  fail("expected " + what + ", found " + ptx::quoted(dot + std::string(current_.text.substr(0, 80))));
}

void Lexer::advance() {
  skip_blanks_and_comments();
  current_.line = line_;
  if (position_ == text_.size()) {
    current_.kind = Token::Kind::end;
    current_.text = {};
    return;
  }
  const char first = text_[position_];
  std::size_t end = position_ + 1;
  if (is(first, kDigit)) {
    current_.kind = Token::Kind::number;
    end = end_of_number();
  } else if (is(first, kWordStart)) {
    current_.kind = Token::Kind::word;
    while (end < text_.size() && is(text_[end], kWordPart)) ++end;
  } else if (first == '.') {
    current_.kind = Token::Kind::dotted;
    ++position_;
    end = end_of_dotted();
    if (end == position_) fail("expected a word after '.'");
  } else if (first == '"') {
    scan_string();
    return;
  } else if (first > ' ' && first < 127) {
    current_.kind = Token::Kind::punctuation;
  } else {
    fail("a character that PTX does not know, code " + std::to_string(static_cast<unsigned char>(first)));
  }
  current_.text = text_.substr(position_, end - position_);
  position_ = end;
}

void Lexer::skip_blanks_and_comments() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is(c, kBlank)) {
      line_ += c == '\n';
      ++position_;
    } else if (text_.substr(position_, 2) == "//") {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (text_.substr(position_, 2) == "/*") {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) throw ParseError(line_, "a comment that does not end");
      for (; position_ < end + 2; ++position_) line_ += text_[position_] == '\n';
    } else {
      return;
    }
  }
}

void Lexer::scan_string() {
  const std::size_t begin = position_ + 1;
  std::size_t end = begin;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += text_[end] == '\\' ? 2 : 1;
  }
  if (end >= text_.size() || text_[end] != '"') fail("a string that does not end on its line");
  current_.kind = Token::Kind::string;
  current_.text = text_.substr(begin, end - begin);
  position_ = end + 1;
}

std::size_t Lexer::end_of_number() const {
  std::size_t end = position_;
  while (end < text_.size() && is(text_[end], kDigit)) ++end;
  if (end == text_.size() || (!is(text_[end], kWordPart) && text_[end] != '.')) return end;
  bool decimal = true;  // in a decimal float, and only there, a sign may follow the 'e'
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
    if (is(c, kWordPart) || c == '.') {
      decimal = decimal && (is(c, kDigit) || c == '.' || c == 'e' || c == 'E');
    } else if (!(decimal && (c == '+' || c == '-') && (text_[end - 1] == 'e' || text_[end - 1] == 'E'))) {
      break;
    }
  }
  return end;
}

std::size_t Lexer::end_of_dotted() const {
  std::size_t end = position_;
  while (end < text_.size()) {
    if (is(text_[end], kWordPart)) {
      ++end;
    } else if (text_.substr(end, 2) == "::" && end > position_) {
      end += 2;
    } else {
      break;
    }
  }
  return end;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "'";
  for (char c : text.substr(0, kLongest)) result += c >= ' ' && c < 127 ? c : '?';
  return result + (text.size() > kLongest ? "…'" : "'");
}

std::string unescaped(const Token& string) {
  std::string result;
  const std::string_view text = string.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    if (++i == text.size()) throw ParseError(string.line, "a string that ends in an escape");
    if (text[i] >= '0' && text[i] <= '7') {
      unsigned value = 0;
      const std::size_t end = std::min(i + 3, text.size());
      while (i < end && text[i] >= '0' && text[i] <= '7')
        value = value * 8 + static_cast<unsigned>(text[i++] - '0');
      --i;
      result += static_cast<char>(value & 0xFF);
      continue;
    }
    switch (text[i]) {
      case 'n':
        result += '\n';
        break;
      case 't':
        result += '\t';
        break;
      case 'r':
        result += '\r';
        break;
      default:
        result += text[i];
    }
  }
  return result;
}

}  // namespace lockstep::emulator::ptx
