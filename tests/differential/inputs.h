// Operands: every pair of a type's edge cases, then random bits, then, for floating point, numbers that are
// close enough together to cancel, round and tie. The same name gives the same operands on every machine.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lockstep::differential {

/// SplitMix64, seeded by a name. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014.
class Random {
 public:
  explicit Random(std::string_view name) {
    for (const char letter : name) state_ = (state_ ^ static_cast<unsigned char>(letter)) * 0x100'0000'01B3;
  }
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E37'79B9'7F4A'7C15;
    z = (z ^ z >> 30) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ z >> 27) * 0x94D0'49BB'1331'11EB;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return bits() % n; }

 private:
  std::uint64_t state_ = 0xCBF2'9CE4'8422'2325;
};

/// A binary format by the widths of its fields.
struct FloatFormat {
  unsigned exponent_bits, fraction_bits;
  std::uint64_t bias() const { return (1ULL << (exponent_bits - 1)) - 1; }
  std::uint64_t code(bool negative, std::uint64_t exponent, std::uint64_t fraction) const {
    return (std::uint64_t{negative} << (exponent_bits + fraction_bits)) | exponent << fraction_bits |
           fraction;
  }
};

/// Zeros, subnormals, ties, the borders of integer types, extremes, infinities and NaNs.
inline std::vector<std::uint64_t> float_edges(FloatFormat f) {
  const std::uint64_t one = f.bias(), top = (1ULL << f.exponent_bits) - 1,
                      half = 1ULL << (f.fraction_bits - 1);
  const std::uint64_t all = (1ULL << f.fraction_bits) - 1;
  return {
      f.code(false, 0, 0),
      f.code(true, 0, 0),  // zeros
      f.code(false, 0, 1),
      f.code(true, 0, all),
      f.code(false, 0, half),  // subnormals
      f.code(false, 1, 0),
      f.code(true, 1, 0),
      f.code(false, 1, all),  // the least normal ones
      f.code(false, one, 0),
      f.code(true, one, 0),
      f.code(false, one, 1),  // 1, −1, above 1
      f.code(false, one - 1, all),
      f.code(true, one - 1, 0),  // below 1, −0.5
      f.code(false, one, half),
      f.code(true, one + 1, half / 2),             // 1.5, −2.5: ties
      f.code(false, one + f.fraction_bits, 1),     // the last odd whole number
      f.code(true, one + f.fraction_bits - 1, 1),  // and a half
      f.code(false, top - 1, all),
      f.code(true, top - 1, all),
      f.code(false, top - 1, 0),  // extremes
      f.code(false, top, 0),
      f.code(true, top, 0),  // infinities
      f.code(false, top, half),
      f.code(true, top, half | 5),  // quiet NaNs
      f.code(false, top, 1),
      f.code(true, top, half - 1),  // signalling NaNs
  };
}

/// 0, 1, what stands round the middle and at the ends, and numbers that shifts and fields take apart.
inline std::vector<std::uint64_t> integer_edges(unsigned width) {
  const std::uint64_t top = 1ULL << (width - 1);
  return {0,
          1,
          2,
          3,
          4,
          5,
          7,
          8,
          15,
          16,
          31,
          32,
          33,
          63,
          64,
          255,
          0x80,
          0x7F,
          top,
          top - 1,
          top + 1,
          ~0ULL,
          ~0ULL - 1,
          0x5555'5555'5555'5555,
          0x0123'4567'89AB'CDEF};
}

template <class T>
constexpr FloatFormat kFormatOf = {};
template <>
constexpr FloatFormat kFormatOf<float> = {8, 23};
template <>
constexpr FloatFormat kFormatOf<double> = {11, 52};
template <>
constexpr FloatFormat kFormatOf<__half> = {5, 10};
template <>
constexpr FloatFormat kFormatOf<__nv_bfloat16> = {8, 7};

/// Of two numbers to a word.
template <>
constexpr FloatFormat kFormatOf<__half2> = {5, 10};
template <>
constexpr FloatFormat kFormatOf<__nv_bfloat162> = {8, 7};

template <class T>
class OperandSource {
 public:
  explicit OperandSource(std::string_view name) : random_(name) {
    if constexpr (kIsFloat)
      edges_ = float_edges(kFormatOf<T>);
    else
      edges_ = integer_edges(8 * sizeof(T));
  }

  void fill(std::uint64_t row, std::uint64_t (&operands)[3]) {
    const std::size_t n = edges_.size();
    if (row < n * n) {
      operands[0] = both(edges_[row % n], edges_[(row + 3) % n]);
      operands[1] = both(edges_[row / n], edges_[(row / n + 5) % n]);
      operands[2] = both(edges_[random_.below(n)], edges_[random_.below(n)]);
      return;
    }
    for (std::uint64_t& operand : operands)
      operand = kIsFloat && row % 2 == 0 ? both(moderate(), moderate()) : random_.bits();
  }

 private:
  static constexpr bool kIsFloat = kFormatOf<T>.exponent_bits != 0;
  static constexpr bool kIsPair =
      kIsFloat && 8 * sizeof(T) > 1 + kFormatOf<T>.exponent_bits + kFormatOf<T>.fraction_bits;

  static std::uint64_t both(std::uint64_t low, std::uint64_t high) {
    return kIsPair ? low | high << 16 : low;
  }
  /// Within 2^±4, often with few bits.
  std::uint64_t moderate() {
    const FloatFormat f = kFormatOf<T>;
    std::uint64_t fraction = random_.bits() & ((1ULL << f.fraction_bits) - 1);
    // A fraction of one bit or two becomes 0.
    if (random_.below(2) == 0) fraction &= f.fraction_bits < 3 ? 0 : ~0ULL << (f.fraction_bits - 3);
    return f.code(random_.below(2) != 0, f.bias() - 4 + random_.below(9), fraction);
  }

  Random random_;
  std::vector<std::uint64_t> edges_;
};

/// `rows` first operands, then as many second and third ones.
template <class T>
std::vector<std::byte> operands(const char* name, std::size_t rows) {
  OperandSource<T> source(name);
  std::vector<std::byte> bytes(3 * rows * sizeof(T));
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint64_t values[3];
    source.fill(row, values);
    for (std::size_t k = 0; k < 3; ++k)
      std::memcpy(bytes.data() + (k * rows + row) * sizeof(T), &values[k], sizeof(T));
  }
  return bytes;
}

inline std::vector<std::byte> random_words(const char* name, std::size_t n) {
  Random random(name);
  std::vector<std::byte> bytes(n * 4);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = random.bits();
    std::memcpy(bytes.data() + 4 * i, &word, 4);
  }
  return bytes;
}

}  // namespace lockstep::differential
