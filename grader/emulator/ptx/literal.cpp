// Number literals; each is read in one pass and refused when it does not fit 64 bits.
#include "emulator/ptx/literal.h"

#include <bit>
#include <charconv>
#include <system_error>

namespace lockstep::emulator::ptx {
namespace {

using ImmediateType = Operand::ImmediateType;

[[noreturn]] void fail(const Token& number) {
  throw ParseError(number.line,
                   quoted(number.text) + " is no number that PTX knows, or does not fit 64 bits");
}

std::uint64_t integer_of(std::string_view digits, int base, const Token& number) {
  if (!digits.empty() && digits.back() == 'U') digits.remove_suffix(1);
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc{} || rest != end) fail(number);
  return value;
}

std::uint64_t exact_hexadecimal(std::string_view digits, std::size_t count, const Token& number) {
  if (digits.size() != count || digits.back() == 'U') fail(number);
  return integer_of(digits, 16, number);
}

}  // namespace

Literal Literal::negated() const {
  switch (type) {
    case ImmediateType::integer:
      return {type, std::uint64_t{0} - bits};
    case ImmediateType::f32:
      return {type, bits ^ (std::uint64_t{1} << 31)};
    case ImmediateType::f64:
      return {type, bits ^ (std::uint64_t{1} << 63)};
  }
  return *this;
}

std::uint64_t Literal::float_bits(bool wide) const {
  if (type == ImmediateType::f64) {
    if (wide) return bits;
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  if (!wide) return bits;
  return std::bit_cast<std::uint64_t>(
      static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
}

Literal parse_literal(const Token& number) {
  const std::string_view text = number.text;
  if (text.size() > 1 && text[0] == '0') {
    switch (text[1]) {
      case 'x':
      case 'X':
        return {ImmediateType::integer, integer_of(text.substr(2), 16, number)};
      case 'b':
      case 'B':
        return {ImmediateType::integer, integer_of(text.substr(2), 2, number)};
      case 'f':
      case 'F':
        return {ImmediateType::f32, exact_hexadecimal(text.substr(2), 8, number)};
      case 'd':
      case 'D':
        return {ImmediateType::f64, exact_hexadecimal(text.substr(2), 16, number)};
      default:
        break;
    }
  }
  if (text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end) fail(number);
    return {ImmediateType::f64, std::bit_cast<std::uint64_t>(value)};
  }
  const int base = text.size() > 1 && text[0] == '0' && text[1] != 'U' ? 8 : 10;
  return {ImmediateType::integer, integer_of(text, base, number)};
}

Literal parse_signed_literal(Lexer& lexer) {
  const bool negative = lexer.accept('-');
  if (lexer.peek().kind != Token::Kind::number) lexer.fail_expected("a number");
  const Literal literal = parse_literal(lexer.take());
  return negative ? literal.negated() : literal;
}

}  // namespace lockstep::emulator::ptx
