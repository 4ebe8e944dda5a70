// Initialisers of variables. Recursion follows the array's dimensions, of which there are few.
#include "emulator/ptx/initialiser_parser.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "emulator/ptx/literal.h"
#include "emulator/ptx/tree_bytes.h"

namespace lockstep::emulator::ptx {
namespace {

constexpr std::uint64_t kAddressBytes = 8;

class InitialiserParser {
 public:
  InitialiserParser(Lexer& lexer, Declarator& declarator, const DeclarationPrefix& prefix,
                    std::uint64_t& padding_budget, std::vector<InitialiserSymbol>& symbols)
      : lexer_(lexer),
        variable_(declarator.variable),
        element_bytes_(bytes_of(prefix.type)),
        extents_(declarator.extents),
        padding_budget_(padding_budget),
        symbols_(symbols) {
    if (prefix.vector_width > 1) extents_.push_back(prefix.vector_width);
    strides_.resize(extents_.size());
    std::uint64_t stride = element_bytes_;
    for (std::size_t level = extents_.size(); level-- > 0;) {
      strides_[level] = stride;
      if (extents_[level] != 0) stride *= extents_[level];
    }
  }

  void parse() {
    parse_level(0, 0);
    if (piece_) lexer_.fail("an address that is not given in eight successive bytes");
    const auto is_zero = [](std::byte value) { return value == std::byte{0}; };
    if (std::ranges::all_of(variable_.initial, is_zero)) variable_.initial.clear();
  }

 private:
  void parse_level(std::size_t level, std::uint64_t offset) {
    if (level == extents_.size()) return parse_element(offset);
    lexer_.expect('{');
    std::uint64_t count = 0;
    if (!lexer_.accept('}')) {
      do {
        if (extents_[level] != 0 && count == extents_[level]) lexer_.fail("more values than the array has");
        std::uint64_t begin = 0;
        if (__builtin_mul_overflow(count, strides_[level], &begin) ||
            __builtin_add_overflow(begin, offset, &begin)) {
          lexer_.fail("an initialiser larger than any memory");
        }
        parse_level(level + 1, begin);
        ++count;
      } while (lexer_.accept(','));
      lexer_.expect('}');
    }
    if (extents_[level] == 0) {
      if (__builtin_mul_overflow(count, strides_[level], &variable_.bytes) ||
          variable_.bytes > kLargestVariable) {
        lexer_.fail("an initialiser larger than any memory");
      }
    }
  }

  void parse_element(std::uint64_t offset) {
    const Token& token = lexer_.peek();
    if (token.kind == Token::Kind::word) {
      if (element_bytes_ != kAddressBytes) lexer_.fail("an address takes eight bytes");
      break_piece();
      Relocation relocation = parse_address();
      relocation.offset = offset;
      put(offset, 0);
      variable_.relocations.push_back(std::move(relocation));
      return;
    }
    const Literal literal = parse_signed_literal(lexer_);
    if (lexer_.accept('(')) return parse_address_byte(offset, literal);
    break_piece();
    put(offset, bits_of(literal));
  }

  /// `symbol`, `generic(symbol)`, each with an addend.
  Relocation parse_address() {
    Relocation relocation;
    relocation.generic = false;
    std::uint32_t line = lexer_.peek().line;
    std::string_view name = lexer_.expect_word("a symbol");
    if (name == "generic" && lexer_.accept('(')) {
      relocation.generic = true;
      line = lexer_.peek().line;
      name = lexer_.expect_word("a symbol");
      relocation.addend = parse_addend();
      lexer_.expect(')');
    }
    relocation.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(relocation.addend) +
                                                  static_cast<std::uint64_t>(parse_addend()));
    relocation.symbol = name;
    symbols_.push_back({name, line});
    lexer_.charge(grown_bytes<Relocation>() + tree_bytes(relocation.symbol) +
                  grown_bytes<InitialiserSymbol>());
    return relocation;
  }

  std::int64_t parse_addend() {
    if (lexer_.accept('+') || lexer_.peek().is('-')) return lexer_.expect_integer("an addend");
    return 0;
  }

  /// `0xFF00(symbol)` is one byte of an address, as nvcc writes packed structures: eight in a row make a
  /// relocation.
  void parse_address_byte(std::uint64_t offset, const Literal& mask) {
    Relocation address = parse_address();
    lexer_.expect(')');
    if (element_bytes_ != 1 || mask.type != Operand::ImmediateType::integer) {
      lexer_.fail("a part of an address that is not one byte");
    }
    put(offset, 0);
    if (!piece_) {
      piece_ = std::move(address);
      piece_->offset = offset;
      piece_bytes_ = 0;
    } else if (address.symbol != piece_->symbol || address.addend != piece_->addend ||
               address.generic != piece_->generic || offset != piece_->offset + piece_bytes_) {
      break_piece();
    }
    if (mask.bits != std::uint64_t{0xFF} << (8 * piece_bytes_)) break_piece();
    if (++piece_bytes_ == kAddressBytes) {
      variable_.relocations.push_back(std::move(*piece_));
      piece_.reset();
    }
  }

  void break_piece() const {
    if (piece_) lexer_.fail("an address that is not given in eight successive bytes");
  }

  std::uint64_t bits_of(const Literal& literal) const {
    const bool is_float = literal.type != Operand::ImmediateType::integer;
    switch (variable_.type) {
      case Type::f32:
      case Type::f64:
        if (!is_float) lexer_.fail("an integer where a float is to stand");
        return literal.float_bits(variable_.type == Type::f64);
      case Type::b32:
      case Type::b64:
        return is_float ? literal.float_bits(variable_.type == Type::b64) : literal.bits;
      case Type::f16:
      case Type::bf16:
      case Type::f16x2:
      case Type::bf16x2:
      case Type::b128:
        lexer_.fail("variables of this type have no initialiser");
      default:
        if (is_float) lexer_.fail("a float where an integer is to stand");
        return literal.bits;
    }
  }

  /// Writes the element's low bytes, least significant first.
  void put(std::uint64_t offset, std::uint64_t bits) {
    std::vector<std::byte>& bytes = variable_.initial;
    if (offset > bytes.size()) {
      const std::uint64_t padding = offset - bytes.size();
      if (padding > padding_budget_) lexer_.fail("an initialiser with too much padding");
      padding_budget_ -= padding;
      lexer_.charge(padding);
      bytes.resize(offset);
    }
    lexer_.charge(grown_bytes<std::byte>(element_bytes_));
    for (std::uint64_t i = 0; i < element_bytes_; ++i)
      bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }

  Lexer& lexer_;
  Variable& variable_;
  std::uint64_t element_bytes_;
  std::vector<std::uint64_t> extents_;
  std::vector<std::uint64_t> strides_;
  std::uint64_t& padding_budget_;
  std::vector<InitialiserSymbol>& symbols_;
  std::optional<Relocation> piece_;
  std::uint64_t piece_bytes_ = 0;
};

}  // namespace

void parse_initialiser(Lexer& lexer, Declarator& declarator, const DeclarationPrefix& prefix,
                       std::uint64_t& padding_budget, std::vector<InitialiserSymbol>& symbols) {
  InitialiserParser(lexer, declarator, prefix, padding_budget, symbols).parse();
}

}  // namespace lockstep::emulator::ptx
