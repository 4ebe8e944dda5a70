// Numbers without rounding, for tests that ask what the right rounding is: a sign, an integer of any length,
// and a power of two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::emulator {

class ExactNumber {
 public:
  ExactNumber() = default;
  /// (-1)^negative × magnitude × 2^exponent
  ExactNumber(bool negative, std::uint64_t magnitude, int exponent)
      : negative_(negative), exponent_(exponent) {
    for (; magnitude != 0; magnitude >>= 32) digits_.push_back(static_cast<std::uint32_t>(magnitude));
  }

  /// -1, 0 or 1.
  int sign() const { return digits_.empty() ? 0 : negative_ ? -1 : 1; }

  ExactNumber operator-() const {
    ExactNumber result = *this;
    result.negative_ = !negative_;
    return result;
  }
  friend ExactNumber operator*(const ExactNumber& a, const ExactNumber& b) {
    ExactNumber product;
    product.negative_ = a.negative_ != b.negative_;
    product.exponent_ = a.exponent_ + b.exponent_;
    product.digits_.assign(a.digits_.size() + b.digits_.size(), 0);
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t k = 0; k < b.digits_.size(); ++k) {
        carry += product.digits_[i + k] + std::uint64_t{a.digits_[i]} * b.digits_[k];
        product.digits_[i + k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      product.digits_[i + b.digits_.size()] = static_cast<std::uint32_t>(carry);
    }
    product.trim();
    return product;
  }
  friend ExactNumber operator+(ExactNumber a, ExactNumber b) {
    const int exponent = a.exponent_ < b.exponent_ ? a.exponent_ : b.exponent_;
    a.scale_to(exponent);
    b.scale_to(exponent);
    if (a.negative_ == b.negative_) return a.with_digits(sum(a.digits_, b.digits_));
    if (less(a.digits_, b.digits_)) return b.with_digits(difference(b.digits_, a.digits_));
    return a.with_digits(difference(a.digits_, b.digits_));
  }
  friend ExactNumber operator-(const ExactNumber& a, const ExactNumber& b) { return a + -b; }

 private:
  using Digits = std::vector<std::uint32_t>;  // least first

  void trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }
  ExactNumber with_digits(Digits digits) const {
    ExactNumber result = *this;
    result.digits_ = std::move(digits);
    result.trim();
    return result;
  }
  void scale_to(int exponent) {
    const auto shift = static_cast<unsigned>(exponent_ - exponent);
    exponent_ = exponent;
    if (digits_.empty()) return;
    Digits scaled(shift / 32, 0);
    std::uint64_t carry = 0;
    for (const std::uint32_t digit : digits_) {
      carry |= std::uint64_t{digit} << (shift % 32);
      scaled.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    scaled.push_back(static_cast<std::uint32_t>(carry));
    digits_ = std::move(scaled);
    trim();
  }
  static bool less(const Digits& a, const Digits& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    for (std::size_t i = a.size(); i-- > 0;) {
      if (a[i] != b[i]) return a[i] < b[i];
    }
    return false;
  }
  static Digits sum(const Digits& a, const Digits& b) {
    Digits result;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < a.size() || i < b.size() || carry != 0; ++i) {
      carry += std::uint64_t{i < a.size() ? a[i] : 0} + (i < b.size() ? b[i] : 0);
      result.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    return result;
  }
  static Digits difference(const Digits& a, const Digits& b) {
    Digits result;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      borrow += std::int64_t{a[i]} - (i < b.size() ? std::int64_t{b[i]} : 0);
      result.push_back(static_cast<std::uint32_t>(borrow));
      borrow >>= 32;  // arithmetic: -1 or 0
    }
    return result;
  }

  bool negative_ = false;
  int exponent_ = 0;
  Digits digits_;
};

/// A binary floating-point format as IEEE describes it, up to 64 bits.
struct BinaryFormat {
  unsigned exponent_bits, fraction_bits;

  unsigned sign_shift() const { return exponent_bits + fraction_bits; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << sign_shift(); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  std::uint64_t least_normal() const { return std::uint64_t{1} << fraction_bits; }
  std::uint64_t magnitude(std::uint64_t code) const { return code & (sign_bit() - 1); }
  bool is_negative(std::uint64_t code) const { return (code & sign_bit()) != 0; }
  bool is_nan(std::uint64_t code) const { return magnitude(code) > infinity(); }
  bool is_infinite(std::uint64_t code) const { return magnitude(code) == infinity(); }
  bool is_zero(std::uint64_t code) const { return magnitude(code) == 0; }
  std::uint64_t flushed(std::uint64_t code) const {
    return magnitude(code) < least_normal() ? code & sign_bit() : code;
  }

  /// Of a number; infinity counts as the number that would follow the largest.
  ExactNumber value(std::uint64_t code) const {
    const int field = static_cast<int>(magnitude(code) >> fraction_bits);
    const std::uint64_t fraction = code & (least_normal() - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    return {is_negative(code), field == 0 ? fraction : fraction | least_normal(),
            (field == 0 ? 1 : field) - bias - static_cast<int>(fraction_bits)};
  }
};

inline constexpr BinaryFormat kFormatF16{5, 10}, kFormatBf16{8, 7}, kFormatTf32{8, 10}, kFormatF32{8, 23},
    kFormatF64{11, 52};

/// rn, rz, rm, rp, rna
enum class Direction { nearest, zero, down, up, away };

/// The code that an exact result rounds to. `above(x)` is the sign of x minus the exact result, for any x:
/// that serves quotients and roots, which are no ExactNumber. `negative`: the exact result is below zero.
template <class Above>
std::uint64_t rounded(const BinaryFormat& format, Direction direction, bool negative, Above above) {
  // The greatest magnitude that is not beyond the result's, by halving.
  const std::uint64_t sign = negative ? format.sign_bit() : 0;
  const auto beyond = [&](std::uint64_t magnitude) {
    const int order = above(format.value(sign | magnitude));
    return negative ? order < 0 : order > 0;
  };
  std::uint64_t low = 0, high = format.infinity();
  if (!beyond(high)) {
    low = high;  // beyond what any rounding brings back; the directions are told apart below
  } else {
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (beyond(middle) ? high : low) = middle;
    }
  }
  const bool towards_zero = direction == Direction::zero || (direction == Direction::down && !negative) ||
                            (direction == Direction::up && negative);
  if (low == format.infinity()) return sign | (towards_zero ? low - 1 : low);
  if (above(format.value(sign | low)) == 0) return sign | low;
  if (towards_zero) return sign | low;
  if (direction == Direction::down || direction == Direction::up) return sign | high;
  const ExactNumber middle =
      (format.value(sign | low) + format.value(sign | high)) * ExactNumber(false, 1, -1);
  const int order = negative ? -above(middle) : above(middle);
  if (order != 0) return sign | (order > 0 ? low : high);
  if (direction == Direction::away) return sign | high;
  return sign | ((low & 1) == 0 ? low : high);
}

inline std::uint64_t rounded(const BinaryFormat& format, Direction direction, const ExactNumber& exact) {
  return rounded(format, direction, exact.sign() < 0,
                 [&](const ExactNumber& x) { return (x - exact).sign(); });
}

}  // namespace lockstep::emulator
