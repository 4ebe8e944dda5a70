// PTX text as a stream of tokens, one ahead of the parser. Tokens are views into the text: nothing is copied,
// so that the megabytes of tables in curand's header cost one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::emulator::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,         ///< an identifier, with its '%' or '$'
    dotted,       ///< a directive or modifier, text without the dot; "shared::cta" is one
    number,       ///< any literal, without its sign
    string,       ///< text between the quotes, escapes as written
    punctuation,  ///< one character
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t line = 1;

  bool is(char punctuation) const { return kind == Kind::punctuation && text.front() == punctuation; }
  bool is_dotted(std::string_view word) const { return kind == Kind::dotted && text == word; }
};

class Lexer {
 public:
  /// `most_bytes`: of what is made of the text.
  explicit Lexer(std::string_view text, std::size_t most_bytes = SIZE_MAX);

  const Token& peek() const { return current_; }
  Token take();

  /// Takes the next token when it is this one.
  bool accept(char punctuation);
  bool accept_dotted(std::string_view word);

  /// Take the next token, which must be of that kind; `what` names the expectation in the error.
  void expect(char punctuation);
  std::string_view expect_word(const char* what);
  std::string_view expect_dotted(const char* what);
  std::uint64_t expect_unsigned(const char* what);
  std::uint32_t expect_unsigned_32(const char* what);
  /// An integer with an optional sign, in two's complement.
  std::int64_t expect_integer(const char* what);

  /// Counts what has been made of the text. Throws ParseError when that is too much.
  void charge(std::size_t bytes);
  std::size_t charged() const { return charged_; }

  /// Throws ParseError at the next token's line.
  [[noreturn]] void fail(const std::string& message) const;
  /// Throws ParseError: "expected `what`, found" the next token.
  [[noreturn]] void fail_expected(const std::string& what) const;

 private:
  void advance();
  void skip_blanks_and_comments();
  void scan_string();
  std::size_t end_of_number() const;
  std::size_t end_of_dotted() const;

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  std::size_t charged_ = 0, most_bytes_;
  Token current_;
};

/// Quotes text for a message: cut to a readable length, without control characters.
std::string quoted(std::string_view text);

/// A string literal's characters, its escapes resolved. Throws ParseError at the token's line.
std::string unescaped(const Token& string);

}  // namespace lockstep::emulator::ptx
