// Tensor-core instructions. Fragments are built element by element with the formulas of the PTX ISA's tables
// (9.7.14.4 and 9.7.14.5), and results compared with sums of integers, which every type here holds exactly.
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr unsigned kWarp = 32;

struct Position {
  unsigned row, column;
};
/// Where element i of the fragment that a lane of group g and place t in it holds lies in its matrix.
using Layout = std::function<Position(unsigned g, unsigned t, unsigned i)>;

/// A number's format: how a small number is written, and which ones to draw.
struct Format {
  const char* name;
  unsigned bits;
  std::function<std::uint64_t(double)> encode;
  int least = -4, most = 4;
};

/// An IEEE-like encoding of a number that it holds exactly, with no subnormal numbers.
std::uint64_t encode_float(double value, unsigned exponent_bits, unsigned mantissa_bits) {
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (exponent_bits + mantissa_bits) : 0;
  if (value == 0) return sign;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto mantissa =
      static_cast<std::uint64_t>(std::ldexp(2 * fraction - 1, static_cast<int>(mantissa_bits)));
  return sign | static_cast<std::uint64_t>(exponent - 1 + bias) << mantissa_bits | mantissa;
}
Format floating(const char* name, unsigned bits, unsigned exponent, unsigned mantissa) {
  return {name, bits, [=](double value) { return encode_float(value, exponent, mantissa); }};
}
Format integer(const char* name, unsigned bits, int least, int most) {
  return {name, bits,
          [=](double value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }, least,
          most};
}

const Format kF16 = floating("f16", 16, 5, 10), kBf16 = floating("bf16", 16, 8, 7),
             kF32 = floating("f32", 32, 8, 23), kTf32 = floating("tf32", 32, 8, 23),
             kF64 = floating("f64", 64, 11, 52), kE4m3 = floating("e4m3", 8, 4, 3),
             kE5m2 = floating("e5m2", 8, 5, 2), kS8 = integer("s8", 8, -128, 127),
             kU8 = integer("u8", 8, 0, 255), kS4 = integer("s4", 4, -8, 7), kU4 = integer("u4", 4, 0, 15),
             kB1 = integer("b1", 1, 0, 1), kS32 = integer("s32", 32, -1000, 1000);

using Matrix = std::vector<std::vector<double>>;

class Numbers {
 public:
  Matrix matrix(unsigned rows, unsigned columns, const Format& format) {
    std::uniform_int_distribution<int> draw(format.least, format.most);
    Matrix result(rows, std::vector<double>(columns));
    for (auto& row : result) {
      for (double& value : row) value = draw(engine_);
    }
    return result;
  }

 private:
  std::mt19937 engine_{20};
};

Matrix product(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix d = c;
  for (std::size_t r = 0; r < a.size(); ++r) {
    for (std::size_t column = 0; column < c[0].size(); ++column) {
      for (std::size_t k = 0; k < b.size(); ++k) d[r][column] += a[r][k] * b[k][column];
    }
  }
  return d;
}

/// Registers of all lanes, [register][lane], as 32-bit words; those of 64 bits take two words.
using Registers = std::vector<std::uint32_t>;

Registers to_fragment(const Matrix& matrix, const Format& format, const Layout& layout, unsigned elements) {
  const unsigned words = format.bits == 64 ? 2 : 1;
  const unsigned of_register = format.bits >= 32 ? 1 : 32 / format.bits;
  Registers registers(std::size_t{elements} / of_register * kWarp * words);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const Position at = layout(lane / 4, lane % 4, i);
      const std::uint64_t bits = format.encode(matrix.at(at.row).at(at.column));
      const std::size_t place = (std::size_t{i / of_register} * kWarp + lane) * words;
      if (format.bits == 64) {
        registers[place] = static_cast<std::uint32_t>(bits);
        registers[place + 1] = static_cast<std::uint32_t>(bits >> 32);
      } else {
        const std::uint64_t mask = format.bits == 32 ? 0xFFFF'FFFF : (1U << format.bits) - 1;
        registers[place] |= static_cast<std::uint32_t>((bits & mask) << (i % of_register * format.bits));
      }
    }
  }
  return registers;
}

struct Example {
  const char* name;
  std::string instruction;  ///< without types, such as "mma.sync.aligned.m16n8k16.row.col"
  unsigned m, n, k;
  Format a, b, sum;
  unsigned a_elements, b_elements;
  Layout a_layout, b_layout;
  std::string ending = {};  ///< after the types
};

void PrintTo(const Example& example, std::ostream* stream) { *stream << example.name; }

Layout sum_layout(unsigned m) {
  return [m](unsigned g, unsigned t, unsigned i) {
    return m == 8 ? Position{g, 2 * t + i} : Position{i < 2 ? g : g + 8, 2 * t + (i & 1)};
  };
}

/// Text of registers of a fragment: "{%r10, %r11}".
std::string list(const std::string& prefix, unsigned first, unsigned n) {
  std::string text = "{";
  for (unsigned k = 0; k < n; ++k) text += (k == 0 ? "" : ", ") + prefix + std::to_string(first + k);
  return text + "}";
}

class TensorTest : public DeviceTest {
 protected:
  /// PTX that moves registers from or to memory, [register][lane], at a register that holds an address.
  static std::string move(bool load, const std::string& prefix, unsigned first, unsigned n,
                          const std::string& address, unsigned offset, bool wide) {
    std::string text;
    for (unsigned k = 0; k < n; ++k) {
      const std::string at = "[" + address + "+" + std::to_string(offset + k * kWarp * (wide ? 8 : 4)) + "]";
      const std::string value = prefix + std::to_string(first + k);
      const std::string type = prefix == "%r" ? "b32" : prefix == "%f" ? "f32" : "f64";
      text += load ? "ld.global." + type + " " + value + ", " + at + "; "
                   : "st.global." + type + " " + at + ", " + value + "; ";
    }
    return text + "\n";
  }
};

class MmaTest : public TensorTest, public ::testing::WithParamInterface<Example> {};

TEST_P(MmaTest, MultipliesFragmentsLaidOutAsTheIsaStates) {
  const Example& e = GetParam();
  Numbers numbers;
  const Matrix a = numbers.matrix(e.m, e.k, e.a), b = numbers.matrix(e.k, e.n, e.b),
               c = numbers.matrix(e.m, e.n, e.sum);
  const unsigned sums = e.m * e.n / kWarp;
  const bool wide = e.a.bits == 64;
  const bool packed = e.sum.bits == 16;
  Registers in = to_fragment(a, e.a, e.a_layout, e.a_elements);
  const unsigned a_registers = static_cast<unsigned>(in.size()) / kWarp / (wide ? 2 : 1);
  const Registers b_in = to_fragment(b, e.b, e.b_layout, e.b_elements);
  const unsigned b_registers = static_cast<unsigned>(b_in.size()) / kWarp / (wide ? 2 : 1);
  const unsigned b_offset = static_cast<unsigned>(in.size()) * 4;
  in.insert(in.end(), b_in.begin(), b_in.end());
  const unsigned c_offset = static_cast<unsigned>(in.size()) * 4;
  const Registers c_in = to_fragment(c, e.sum, sum_layout(e.m), sums);
  in.insert(in.end(), c_in.begin(), c_in.end());
  const unsigned c_registers = packed ? sums / 2 : sums;

  // Results take the registers of C.
  const std::string multiplicand = wide ? "%g" : "%r";
  const std::string sum = wide ? "%g" : e.sum.bits == 32 && e.sum.name == kF32.name ? "%f" : "%r";
  const unsigned b_first = a_registers, c_first = wide ? a_registers + b_registers : 20;
  const unsigned first = wide ? 0 : 30;
  std::string body = wide ? "mul.wide.u32 %d2, %r1, 8;\n" : "mul.wide.u32 %d2, %r1, 4;\n";
  body += "add.u64 %d3, %d0, %d2; add.u64 %d4, %d1, %d2;\n";
  body += move(true, multiplicand, first, a_registers, "%d3", 0, wide);
  body += move(true, multiplicand, first + b_first, b_registers, "%d3", b_offset, wide);
  body += move(true, sum, c_first, c_registers, "%d3", c_offset, wide);
  const std::string d = list(sum, c_first, c_registers);
  const std::string type = e.sum.name;
  body += e.instruction + "." + type + "." + e.a.name + "." + e.b.name + "." + type + e.ending + " " + d +
          ", " + list(multiplicand, first, a_registers) + ", " +
          list(multiplicand, first + b_first, b_registers) + ", " + d + ";\n";
  body += move(false, sum, c_first, c_registers, "%d4", 0, wide);

  const DeviceAddress from = upload(in), to = upload(Registers(c_in.size()));
  ASSERT_EQ(run(body, from, to, 0, {}, {kWarp, 1, 1}).status, LaunchResult::Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  Matrix expected = product(a, b, c);
  if (e.ending == ".xor.popc") {
    expected = c;
    for (unsigned r = 0; r < e.m; ++r) {
      for (unsigned column = 0; column < e.n; ++column) {
        for (unsigned k = 0; k < e.k; ++k) expected[r][column] += a[r][k] != b[k][column] ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(download<std::uint32_t>(to, c_in.size()), to_fragment(expected, e.sum, sum_layout(e.m), sums));
}

Position k4_a(unsigned g, unsigned t, unsigned i) { return {i == 0 ? g : g + 8, t}; }
Position m8_double_a(unsigned g, unsigned t, unsigned) { return {g, t}; }
Position k4_b(unsigned g, unsigned t, unsigned) { return {t, g}; }
Position k8_word_a(unsigned g, unsigned t, unsigned i) {
  return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
}
Position k8_word_b(unsigned g, unsigned t, unsigned i) { return {i == 0 ? t : t + 4, g}; }
Position k8_half_a(unsigned g, unsigned t, unsigned i) { return {i < 2 ? g : g + 8, 2 * t + (i & 1)}; }
Position k8_half_b(unsigned g, unsigned t, unsigned i) { return {2 * t + i, g}; }
Position k16_half_a(unsigned g, unsigned t, unsigned i) {
  return {i < 2 || (i >= 4 && i < 6) ? g : g + 8, 2 * t + (i & 1) + (i < 4 ? 0 : 8)};
}
Position k16_half_b(unsigned g, unsigned t, unsigned i) { return {2 * t + (i & 1) + (i < 2 ? 0 : 8), g}; }
Position k16_byte_a(unsigned g, unsigned t, unsigned i) { return {i < 4 ? g : g + 8, 4 * t + (i & 3)}; }
Position k16_byte_b(unsigned g, unsigned t, unsigned i) { return {4 * t + i, g}; }
Position k32_byte_a(unsigned g, unsigned t, unsigned i) {
  return {i < 4 || (i >= 8 && i < 12) ? g : g + 8, 4 * t + (i & 3) + (i < 8 ? 0 : 16)};
}
Position k32_byte_b(unsigned g, unsigned t, unsigned i) { return {4 * t + (i & 3) + (i < 4 ? 0 : 16), g}; }
Position k32_nibble_a(unsigned g, unsigned t, unsigned i) { return {i < 8 ? g : g + 8, 8 * t + (i & 7)}; }
Position k32_nibble_b(unsigned g, unsigned t, unsigned i) { return {8 * t + i, g}; }
Position k64_nibble_a(unsigned g, unsigned t, unsigned i) {
  return {i < 8 || (i >= 16 && i < 24) ? g : g + 8, 8 * t + (i & 7) + (i < 16 ? 0 : 32)};
}
Position k64_nibble_b(unsigned g, unsigned t, unsigned i) { return {8 * t + (i & 7) + (i < 8 ? 0 : 32), g}; }
Position k128_bit_a(unsigned g, unsigned t, unsigned i) { return {i < 32 ? g : g + 8, 32 * t + (i & 31)}; }
Position k128_bit_b(unsigned g, unsigned t, unsigned i) { return {32 * t + i, g}; }
Position k256_bit_a(unsigned g, unsigned t, unsigned i) {
  return {i < 32 || (i >= 64 && i < 96) ? g : g + 8, 32 * t + (i & 31) + (i < 64 ? 0 : 128)};
}
Position k256_bit_b(unsigned g, unsigned t, unsigned i) {
  return {32 * t + (i & 31) + (i < 32 ? 0 : 128), g};
}
Position k16_double_a(unsigned g, unsigned t, unsigned i) { return {i % 2 == 0 ? g : g + 8, i / 2 * 4 + t}; }
Position k16_double_b(unsigned g, unsigned t, unsigned i) { return {4 * i + t, g}; }

std::string mma(const std::string& shape) { return "mma.sync.aligned." + shape + ".row.col"; }

INSTANTIATE_TEST_SUITE_P(
    Floating, MmaTest,
    ::testing::Values(
        Example{"m16n8k8_f16", mma("m16n8k8"), 16, 8, 8, kF16, kF16, kF32, 4, 2, k8_half_a, k8_half_b},
        Example{"m16n8k8_f16_f16", mma("m16n8k8"), 16, 8, 8, kF16, kF16, kF16, 4, 2, k8_half_a, k8_half_b},
        Example{"m16n8k16_f16", mma("m16n8k16"), 16, 8, 16, kF16, kF16, kF32, 8, 4, k16_half_a, k16_half_b},
        Example{"m16n8k16_f16_f16", mma("m16n8k16"), 16, 8, 16, kF16, kF16, kF16, 8, 4, k16_half_a,
                k16_half_b},
        Example{"m16n8k8_bf16", mma("m16n8k8"), 16, 8, 8, kBf16, kBf16, kF32, 4, 2, k8_half_a, k8_half_b},
        Example{"m16n8k16_bf16", mma("m16n8k16"), 16, 8, 16, kBf16, kBf16, kF32, 8, 4, k16_half_a,
                k16_half_b},
        Example{"m16n8k4_tf32", mma("m16n8k4"), 16, 8, 4, kTf32, kTf32, kF32, 2, 1, k4_a, k4_b},
        Example{"m16n8k8_tf32", mma("m16n8k8"), 16, 8, 8, kTf32, kTf32, kF32, 4, 2, k8_word_a, k8_word_b},
        Example{"m16n8k32_e4m3", mma("m16n8k32"), 16, 8, 32, kE4m3, kE4m3, kF32, 16, 8, k32_byte_a,
                k32_byte_b},
        Example{"m16n8k32_e5m2_e4m3", mma("m16n8k32"), 16, 8, 32, kE5m2, kE4m3, kF32, 16, 8, k32_byte_a,
                k32_byte_b},
        Example{"m16n8k16_e4m3_f16", mma("m16n8k16"), 16, 8, 16, kE4m3, kE4m3, kF16, 8, 4, k16_byte_a,
                k16_byte_b},
        Example{"m8n8k4_f64", mma("m8n8k4"), 8, 8, 4, kF64, kF64, kF64, 1, 1, m8_double_a, k4_b},
        Example{"m16n8k4_f64", mma("m16n8k4"), 16, 8, 4, kF64, kF64, kF64, 2, 1, k4_a, k4_b},
        Example{"m16n8k8_f64", mma("m16n8k8"), 16, 8, 8, kF64, kF64, kF64, 4, 2, k8_word_a, k8_word_b},
        Example{"m16n8k16_f64", mma("m16n8k16"), 16, 8, 16, kF64, kF64, kF64, 8, 4, k16_double_a,
                k16_double_b}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Integer, MmaTest,
    ::testing::Values(
        Example{"m8n8k16_s8", mma("m8n8k16"), 8, 8, 16, kS8, kS8, kS32, 4, 4, k16_byte_a, k16_byte_b},
        Example{"m16n8k16_s8", mma("m16n8k16"), 16, 8, 16, kS8, kS8, kS32, 8, 4, k16_byte_a, k16_byte_b},
        Example{"m16n8k16_u8_s8", mma("m16n8k16"), 16, 8, 16, kU8, kS8, kS32, 8, 4, k16_byte_a, k16_byte_b},
        Example{"m16n8k32_u8", mma("m16n8k32"), 16, 8, 32, kU8, kU8, kS32, 16, 8, k32_byte_a, k32_byte_b},
        Example{"m16n8k32_s8", mma("m16n8k32"), 16, 8, 32, kS8, kS8, kS32, 16, 8, k32_byte_a, k32_byte_b},
        Example{"m8n8k32_s4", mma("m8n8k32"), 8, 8, 32, kS4, kS4, kS32, 8, 8, k32_nibble_a, k32_nibble_b},
        Example{"m16n8k32_s4_u4", mma("m16n8k32"), 16, 8, 32, kS4, kU4, kS32, 16, 8, k32_nibble_a,
                k32_nibble_b},
        Example{"m16n8k64_u4", mma("m16n8k64"), 16, 8, 64, kU4, kU4, kS32, 32, 16, k64_nibble_a,
                k64_nibble_b},
        Example{"m8n8k128_and", mma("m8n8k128"), 8, 8, 128, kB1, kB1, kS32, 32, 32, k128_bit_a, k128_bit_b,
                ".and.popc"},
        Example{"m16n8k128_xor", mma("m16n8k128"), 16, 8, 128, kB1, kB1, kS32, 64, 32, k128_bit_a, k128_bit_b,
                ".xor.popc"},
        Example{"m16n8k256_and", mma("m16n8k256"), 16, 8, 256, kB1, kB1, kS32, 128, 64, k256_bit_a,
                k256_bit_b, ".and.popc"},
        Example{"m16n8k256_xor", mma("m16n8k256"), 16, 8, 256, kB1, kB1, kS32, 128, 64, k256_bit_a,
                k256_bit_b, ".xor.popc"}),
    [](const auto& test) { return test.param.name; });

// --- precision ---

class PrecisionTest : public TensorTest {
 protected:
  /// Element (0, 0) of a product of 16 × 8 × 8 whose other elements are 0: A's first row times B's first
  /// column, of f16, plus c. Lane t holds the elements 2t and 2t + 1 of both.
  std::uint32_t sum(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b, std::uint32_t c,
                    const std::string& type) {
    std::vector<std::uint32_t> in;
    for (const auto& values : {a, b}) {
      for (unsigned t = 0; t < 4; ++t) in.push_back(values[2 * t] | std::uint32_t{values[2 * t + 1]} << 16);
    }
    in.push_back(c);
    const DeviceAddress from = upload(in), to = upload(std::vector<std::uint32_t>(1));
    const bool single = type == "f32";
    const std::string body =
        "mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d0, %d2; setp.lt.u32 %p1, %r1, 4;\n"
        "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0;\n"
        "@%p1 ld.global.b32 %r10, [%d2];\n@%p1 ld.global.b32 %r12, [%d2+16];\n"
        "setp.eq.u32 %p2, %r1, 0;\n@%p2 ld.global.b32 %r13, [%d2+32];\nmov.b32 %f0, %r13; mov.f32 %f1, "
        "0f00000000;\n" +
        (single ? std::string("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
                              "{%r10, %r11}, {%r12}, {%f0, %f1, %f1, %f1};\nmov.b32 %r13, %f0;\n")
                : std::string(
                      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r13, %r14}, {%r10, %r11}, {%r12}, "
                      "{%r13, %r14};\n")) +
        "@%p2 st.global.b32 [%d1], %r13;";
    EXPECT_EQ(run(body, from, to, 0, {}, {kWarp, 1, 1}).status, LaunchResult::Status::ok);
    return download<std::uint32_t>(to, 1)[0] & (single ? 0xFFFF'FFFF : 0xFFFF);
  }
  static std::vector<std::uint16_t> halves(std::initializer_list<double> values) {
    std::vector<std::uint16_t> result(8);
    std::size_t k = 0;
    for (const double value : values) result[k++] = static_cast<std::uint16_t>(encode_float(value, 5, 10));
    return result;
  }
  static std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
};

TEST_F(PrecisionTest, ProductsAreExactAndTheSumIsRoundedOnce) {
  // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20.
  const double next = 1 + 0x1p-10;
  EXPECT_EQ(sum(halves({next}), halves({next}), 0, "f32"), bits(1 + 0x1p-9F + 0x1p-20F));
  // Each 2^-24 alone is lost beside 1 in single precision.
  EXPECT_EQ(sum(halves({1, 0x1p-12, 0x1p-12}), halves({1, 0x1p-12, 0x1p-12}), 0, "f32"), bits(1 + 0x1p-23F));
  // What cancels leaves what was small.
  EXPECT_EQ(sum(halves({256, 0x1p-14, -256}), halves({256, 0x1p-14, 256}), 0, "f32"), bits(0x1p-28F));
}

TEST_F(PrecisionTest, HalfResultsAreRoundedToNearestEvenOnce) {
  // 2048 + 1 is half way to 2050; + 3 to 2052; a little more than half way decides.
  EXPECT_EQ(sum(halves({2048, 1}), halves({1, 1}), 0, "f16"), encode_float(2048, 5, 10));
  EXPECT_EQ(sum(halves({2048, 3}), halves({1, 1}), 0, "f16"), encode_float(2052, 5, 10));
  EXPECT_EQ(sum(halves({2048, 1, 0x1p-14}), halves({1, 1, 0x1p-14}), 0, "f16"), encode_float(2050, 5, 10));
  // Subnormal results: 2^-24 is the least, and half of it is rounded to even.
  EXPECT_EQ(sum(halves({0x1p-12}), halves({0x1p-12}), 0, "f16"), 1U);
  EXPECT_EQ(sum(halves({0x1p-13}), halves({0x1p-12}), 0, "f16"), 0U);
  EXPECT_EQ(sum(halves({0x1.8p-12}), halves({0x1p-12}), 0, "f16"), 2U);
  EXPECT_EQ(sum(halves({-0x1p-12}), halves({0x1p-12}), 0, "f16"), 0x8001U);
}

TEST_F(PrecisionTest, SubnormalOperandsCount) {
  std::vector<std::uint16_t> a(8);
  a[0] = 1;  // 2^-24
  EXPECT_EQ(sum(a, halves({1}), 0, "f32"), bits(0x1p-24F));
  a[0] = 0x83FF;
  EXPECT_EQ(sum(a, halves({1}), 0, "f32"), bits(-1023 * 0x1p-24F));
}

TEST_F(PrecisionTest, WhatIsTooLargeIsInfiniteAndNaNIsCanonical) {
  EXPECT_EQ(sum(halves({60000}), halves({1}), 0x7BFF, "f16"), 0x7C00U);
  EXPECT_EQ(sum(halves({-60000}), halves({1}), 0xFBFF, "f16"), 0xFC00U);
  EXPECT_EQ(sum(halves({15}), halves({1}), 0x7BFF, "f16"), 0x7BFFU) << "65519 is nearer to 65504";
  EXPECT_EQ(sum(halves({16}), halves({1}), 0x7BFF, "f16"), 0x7C00U);
  std::vector<std::uint16_t> infinity(8), nan(8);
  infinity[0] = 0x7C00;
  nan[0] = 0xFE01;
  EXPECT_EQ(sum(infinity, halves({1}), 0, "f32"), bits(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(sum(infinity, halves({-1}), 0, "f16"), 0xFC00U);
  EXPECT_EQ(sum(infinity, halves({0}), 0, "f32"), 0x7FFF'FFFFU);
  EXPECT_EQ(sum(nan, halves({1}), 0, "f32"), 0x7FFF'FFFFU);
  EXPECT_EQ(sum(nan, halves({1}), 0, "f16"), 0x7FFFU);
}

TEST_F(TensorTest, IntegersWrapUnlessTheyAreToSaturate) {
  // Every product is 127 · 127, of 16.
  const auto corner = [&](const std::string& saturate, std::int32_t c, std::uint32_t b) {
    const DeviceAddress to = upload(std::vector<std::int32_t>(1));
    run("mov.u32 %r10, 0x7F7F7F7F; mov.u32 %r11, " + std::to_string(b) + "; mov.u32 %r12, " +
            std::to_string(c) + ";\nmma.sync.aligned.m8n8k16.row.col" + saturate +
            ".s32.s8.s8.s32 {%r12, %r13}, {%r10}, {%r11}, {%r12, %r12};\nst.global.b32 [%d0], %r12;",
        to, 0, 0, {}, {kWarp, 1, 1});
    return download<std::int32_t>(to, 1)[0];
  };
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(), sum = 16 * 127 * 127;
  EXPECT_EQ(corner("", most, 0x7F7F7F7F), std::numeric_limits<std::int32_t>::min() + (sum - 1));
  EXPECT_EQ(corner(".satfinite", most, 0x7F7F7F7F), most);
  EXPECT_EQ(corner(".satfinite", -most, 0x81818181), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(corner(".satfinite", 5, 0x7F7F7F7F), sum + 5);
}

TEST_F(TensorTest, DoublesRoundAsTheInstructionSays) {
  // 1 + 2^-60, by one product in lane 0's element.
  const auto corner = [&](const std::string& rounding, double c) {
    const DeviceAddress to = upload(std::vector<double>(1));
    run("mov.f64 %g0, 0d0000000000000000; mov.f64 %g1, %g0; setp.eq.u32 %p1, %r1, 0;\n@%p1 mov.f64 %g0, "
        "0d3E10000000000000;\nmov.f64 %g2, " +
            std::string(c < 0 ? "0dBFF0000000000000" : "0d3FF0000000000000") +
            ";\nmma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64" + rounding +
            " {%g4, %g5}, {%g0}, {%g0}, {%g2, %g2};\n@%p1 st.global.f64 [%d0], %g4;",
        to, 0, 0, {}, {kWarp, 1, 1});
    return download<double>(to, 1)[0];
  };
  EXPECT_EQ(corner("", 1), 1);
  EXPECT_EQ(corner(".rn", 1), 1);
  EXPECT_EQ(corner(".rp", 1), std::nextafter(1.0, 2.0));
  EXPECT_EQ(corner(".rm", 1), 1);
  EXPECT_EQ(corner(".rz", -1), std::nextafter(-1.0, 0.0));
  EXPECT_EQ(corner(".rm", -1), -1);
}

// --- fragments of wmma ---

TEST_F(TensorTest, AccumulatorsOfWmmaArePairsOfNeighbours) {
  // As sm_80 and above have them: rows g and g + 8 of the left half, then of the right.
  std::vector<float> in(256);
  for (unsigned k = 0; k < 256; ++k) in[k] = static_cast<float>(k);
  const DeviceAddress from = upload(in), to = upload(std::vector<float>(256));
  const std::string registers = list("%f", 0, 8);
  run("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + registers +
          ", [%d0], 16;\nmul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2;\n" +
          move(false, "%f", 0, 8, "%d2", 0, false),
      from, to, 0, {}, {kWarp, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
  const auto values = download<float>(to, 256);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned row = lane / 4 + (i & 2 ? 8 : 0), column = 2 * (lane % 4) + (i & 1) + (i & 4 ? 8 : 0);
      EXPECT_EQ(values[i * kWarp + lane], static_cast<float>(16 * row + column)) << lane << ' ' << i;
    }
  }
}

TEST_F(TensorTest, LanesThatGiveDifferentMatricesAreReported) {
  const DeviceAddress from = upload(std::vector<float>(1024));
  run("and.b32 %r2, %r1, 1;\nmad.lo.u32 %r2, %r2, 4, 16;\n"
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
          list("%f", 0, 8) + ", [%d0], %r2;",
      from, 0, 0, {}, {kWarp, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("bad-sync 3"));
}

TEST_F(TensorTest, RowsOfWmmaMustBeAligned) {
  const DeviceAddress from = upload(std::vector<float>(1024));
  const std::string load = "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + list("%f", 0, 8);
  EXPECT_EQ(run(load + ", [%d0], 17;", from, 0, 0, {}, {kWarp, 1, 1}).status,
            LaunchResult::Status::misaligned_address);
  EXPECT_THAT(findings(), ElementsAre("misaligned 1"));
  EXPECT_EQ(run("mov.u32 %r2, 0;\n" + load + ", [%d0+8], 16;", from, 0, 0, {}, {kWarp, 1, 1}).status,
            LaunchResult::Status::misaligned_address);
  EXPECT_THAT(findings(), ElementsAre("misaligned 2"));
}

TEST_F(TensorTest, AMatrixPastTheEndOfItsAllocationIsReported) {
  const DeviceAddress from = upload(std::vector<float>(16 * 16 - 4));
  EXPECT_EQ(run("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + list("%f", 0, 8) + ", [%d0], 16;",
                from, 0, 0, {}, {kWarp, 1, 1})
                .status,
            LaunchResult::Status::illegal_address);
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 1"));
}

TEST_F(TensorTest, ElementsThatNothingWroteAreReported) {
  const DeviceAddress from = device.allocate(1024), to = device.allocate(1024);
  run("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + list("%f", 0, 8) +
          ", [%d0], 16;\nwmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%d1], " + list("%f", 0, 8) +
          ", 16;",
      from, to, 0, {}, {kWarp, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 1"));
}

TEST_F(TensorTest, MatricesInGlobalMemoryMoveAsTheCompilersCodeDoes) {
  const DeviceAddress from = upload(std::vector<std::uint16_t>(256)), sums = upload(std::vector<float>(256));
  const auto traffic = [&](const std::string& load) {
    run(load, from, sums, 0, {}, {kWarp, 1, 1});
    EXPECT_THAT(findings(), IsEmpty());
    Traffic total;
    for (const LineCounters& counters : seen.lines) total += counters.global_load;
    return total;
  };
  // Four words per lane; a row of a tile is half a sector.
  const Traffic a =
      traffic("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + list("%r", 10, 8) + ", [%d0], 16;");
  EXPECT_EQ(a.requests, 4U);
  EXPECT_EQ(a.units, 4 * 8U);
  // Four pairs per lane, of which a row of a tile is one sector.
  const Traffic c =
      traffic("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + list("%f", 0, 8) + ", [%d1], 16;");
  EXPECT_EQ(c.requests, 4U);
  EXPECT_EQ(c.units, 4 * 8U);
}

// --- rows of tiles ---

class RowsTest : public TensorTest {
 protected:
  static constexpr const char* kTile = ".shared .align 16 .b8 tile[4096];\n";

  /// Fills shared memory with its halves' numbers, word by word: five lines.
  static std::string fill() {
    return "mov.u32 %r2, tile; mov.u32 %r3, %r1;\n"
           "FILL: shl.b32 %r4, %r3, 1; add.u32 %r5, %r4, 1; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5;\n"
           "mad.lo.u32 %r5, %r3, 4, %r2; st.shared.b32 [%r5], %r4;\n"
           "add.u32 %r3, %r3, 32; setp.lt.u32 %p1, %r3, 1024;\n@%p1 bra FILL;\n";
  }
  /// Address of a lane's row in %r6: rows `stride` bytes apart. One line.
  static std::string rows(unsigned stride) {
    return "mad.lo.u32 %r6, %r1, " + std::to_string(stride) + ", %r2;\n";
  }
  static std::string store_registers(unsigned n) {
    return "mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d0, %d2; " + move(false, "%r", 10, n, "%d2", 0, false);
  }
  Traffic shared_load(std::uint32_t line) const {
    for (const LineCounters& counters : seen.lines) {
      if (counters.line.line == line) return counters.shared_load;
    }
    return {};
  }
};

TEST_F(RowsTest, LoadsTilesAsTheIsaStates) {
  for (const unsigned tiles : {1U, 2U, 4U}) {
    for (const bool transposed : {false, true}) {
      for (const unsigned stride : {16U, 48U, 128U}) {
        const DeviceAddress to = upload(std::vector<std::uint32_t>(tiles * kWarp));
        run(fill() + "bar.sync 0;\n" + rows(stride) + "ldmatrix.sync.aligned.m8n8.x" + std::to_string(tiles) +
                (transposed ? ".trans" : "") + ".shared.b16 " + list("%r", 10, tiles) + ", [%r6];\n" +
                store_registers(tiles),
            to, 0, 0, {}, {kWarp, 1, 1}, kTile);
        EXPECT_THAT(findings(), IsEmpty());
        const auto values = download<std::uint16_t>(to, 2 * tiles * kWarp);
        for (unsigned tile = 0; tile < tiles; ++tile) {
          for (unsigned lane = 0; lane < kWarp; ++lane) {
            for (unsigned i = 0; i < 2; ++i) {
              const unsigned along = lane / 4, across = 2 * (lane % 4) + i;
              const unsigned row = transposed ? across : along, column = transposed ? along : across;
              const unsigned expected = (8 * tile + row) * stride / 2 + column;
              ASSERT_EQ(values[2 * (tile * kWarp + lane) + i], expected)
                  << tiles << (transposed ? " transposed " : " ") << stride << ", lane " << lane;
            }
          }
        }
        // Rows 16 or 48 bytes apart fill all banks, 128 bytes apart share four.
        EXPECT_EQ(shared_load(8).requests, 1U);
        EXPECT_EQ(shared_load(8).units, tiles * (stride == 128 ? 8 : 1));
        EXPECT_EQ(shared_load(8).ideal_units, tiles);
        EXPECT_EQ(shared_load(8).bytes, 128 * tiles);
      }
    }
  }
}

TEST_F(RowsTest, MatricesOfWmmaComeAsTiles) {
  const auto traffic = [&](const std::string& load) {
    run(fill() + "bar.sync 0;\n" + load, 0, 0, 0, {}, {kWarp, 1, 1}, kTile);
    EXPECT_THAT(findings(), IsEmpty());
    return shared_load(7);
  };
  const std::string registers = list("%r", 10, 8);
  for (const char* layout : {"row", "col"}) {
    const std::string load = "wmma.load.a.sync.aligned." + std::string(layout) + ".m16n16k16.shared.f16 ";
    const Traffic padded = traffic(load + registers + ", [tile], 24;"),
                  dense = traffic(load + registers + ", [tile], 64;");
    EXPECT_EQ(padded.requests, 1U) << layout;
    EXPECT_EQ(padded.units, 4U) << layout;
    EXPECT_EQ(dense.requests, 1U) << layout;
    EXPECT_EQ(dense.units, 4 * 8U) << layout;
  }
  // Bytes that lie across memory come one by one.
  const Traffic bytes = traffic("wmma.load.a.sync.aligned.col.m16n16k16.shared.s8 {%r10, %r11}, [tile], 16;");
  EXPECT_EQ(bytes.requests, 8U);
}

TEST_F(RowsTest, OnlyTheLanesOfTheTilesGiveAddresses) {
  // Lanes from 8 on give addresses outside of shared memory.
  const DeviceAddress to = upload(std::vector<std::uint32_t>(kWarp));
  run(fill() + "bar.sync 0;\n" + rows(16384) + "setp.lt.u32 %p1, %r1, 8; mad.lo.u32 %r7, %r1, 16, %r2;\n" +
          "@%p1 mov.b32 %r6, %r7;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r6];\n" +
          store_registers(1),
      to, 0, 0, {}, {kWarp, 1, 1}, kTile);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(download<std::uint16_t>(to, 64)[63], 63U);
}

TEST_F(RowsTest, TakesGenericAddresses) {
  const DeviceAddress to = upload(std::vector<std::uint32_t>(kWarp));
  const std::string generic = "cvt.u64.u32 %d3, %r6; cvta.shared.u64 %d3, %d3;\n";
  run(fill() + "bar.sync 0;\n" + rows(16) + generic +
          "ldmatrix.sync.aligned.m8n8.x1.b16 {%r10}, [%d3+512];\n" + store_registers(1),
      to, 0, 0, {}, {kWarp, 1, 1}, kTile);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(download<std::uint16_t>(to, 64)[5], 261U);
  EXPECT_EQ(
      run("ldmatrix.sync.aligned.m8n8.x1.b16 {%r10}, [%d0];", to, 0, 0, {}, {kWarp, 1, 1}, kTile).status,
      LaunchResult::Status::illegal_address);
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 1")) << "global memory holds no rows";
}

TEST_F(RowsTest, ReportsAddressesThatAreNotAligned) {
  EXPECT_EQ(
      run(fill() + "bar.sync 0;\n" + rows(24) + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r6];", 0,
          0, 0, {}, {kWarp, 1, 1}, kTile)
          .status,
      LaunchResult::Status::misaligned_address);
  EXPECT_THAT(findings(), ElementsAre("misaligned 8"));
}

TEST_F(RowsTest, ReportsAddressesPastSharedMemory) {
  EXPECT_EQ(run(fill() + "bar.sync 0;\n" + rows(256) + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " +
                    list("%r", 10, 4) + ", [%r6];",
                0, 0, 0, {}, {kWarp, 1, 1}, kTile)
                .status,
            LaunchResult::Status::illegal_address);
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 8"));
}

TEST_F(RowsTest, ReportsWordsThatNothingWrote) {
  run("mov.u32 %r2, tile;\n" + rows(16) + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r6];", 0, 0, 0,
      {}, {kWarp, 1, 1}, kTile);
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 3"));
}

TEST_F(RowsTest, ReportsThatOtherLanesHaveNotMetSinceTheyWrote) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r6];";
  run(fill() + rows(16) + load, 0, 0, 0, {}, {kWarp, 1, 1}, kTile);
  EXPECT_THAT(findings(), IsEmpty()) << "lane l has written word l of the first tile, and reads it";
  run(fill() + rows(48) + load, 0, 0, 0, {}, {kWarp, 1, 1}, kTile);
  EXPECT_THAT(findings(), ElementsAre("race 7"));
  run(fill() + "bar.warp.sync -1;\n" + rows(48) + load, 0, 0, 0, {}, {kWarp, 1, 1}, kTile);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(RowsTest, ReportsARaceWithAnotherWarp) {
  // Warp 1 reads what warp 0 writes.
  run("mov.u32 %r2, tile; setp.lt.u32 %p1, %r1, 32;\nmad.lo.u32 %r3, %r1, 4, %r2;\n@%p1 st.shared.b32 [%r3], "
      "%r1;\n"
      "and.b32 %r4, %r1, 7; mad.lo.u32 %r6, %r4, 16, %r2;\n@%p1 bra DONE;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r6];\nDONE: mov.u32 %r7, 0;",
      0, 0, 0, {}, {2 * kWarp, 1, 1}, kTile);
  EXPECT_THAT(findings(), ElementsAre("race 6"));
  ASSERT_EQ(seen.findings.size(), 1U);
  EXPECT_EQ(seen.findings[0].other_line.line, 3U);
}

TEST_F(RowsTest, StoresWhatItLoads) {
  for (const bool transposed : {false, true}) {
    const DeviceAddress to = upload(std::vector<std::uint32_t>(4 * kWarp));
    const std::string trans = transposed ? ".trans" : "";
    run(fill() + "bar.sync 0;\n" + rows(16) + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " +
            list("%r", 10, 4) +
            ", [%r6];\nbar.warp.sync -1;\nadd.u32 %r6, %r6, 1024;\nstmatrix.sync.aligned.m8n8.x4" + trans +
            ".shared.b16 [%r6], " + list("%r", 10, 4) + ";\nbar.warp.sync -1;\n" +
            "mad.lo.u32 %r7, %r1, 4, %r2;\nld.shared.b32 %r10, [%r7+1024]; ld.shared.b32 %r11, [%r7+1152]; "
            "ld.shared.b32 %r12, [%r7+1280]; ld.shared.b32 %r13, [%r7+1408];\n" +
            store_registers(4),
        to, 0, 0, {}, {kWarp, 1, 1}, kTile);
    EXPECT_THAT(findings(), IsEmpty());
    const auto values = download<std::uint16_t>(to, 8 * kWarp);
    for (unsigned k = 0; k < 8 * kWarp; ++k) {
      const unsigned tile = k / 64, row = k / 8 % 8, column = k % 8;
      EXPECT_EQ(values[k], transposed ? 64 * tile + 8 * column + row : k);
    }
  }
}

TEST_F(RowsTest, TransposesRegisters) {
  const DeviceAddress to = upload(std::vector<std::uint32_t>(kWarp));
  run("shl.b32 %r4, %r1, 1; add.u32 %r5, %r4, 1; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5;\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r4;\n" +
          store_registers(1),
      to, 0, 0, {}, {kWarp, 1, 1});
  const auto values = download<std::uint16_t>(to, 64);
  for (unsigned k = 0; k < 64; ++k) EXPECT_EQ(values[k], k % 8 * 8 + k / 8);
}

// --- lanes that do not meet ---

const char* const kProduct =
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r2, %r3}, {%r4}, {%f0, %f1, "
    "%f2, %f3};";
const char* const kZeros =
    "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, "
    "%f0; "
    "mov.f32 %f3, %f0;\n";

TEST_F(TensorTest, AWarpThatHasDivergedIsReported) {
  run(std::string(kZeros) + "setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra SKIP;\n" + kProduct +
          "\nSKIP: mov.u32 %r5, 0;",
      0, 0, 0, {}, {kWarp, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("bad-sync 4"));
}

TEST_F(TensorTest, LanesThatComeLaterAreWaitedFor) {
  run(std::string(kZeros) +
          "setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra MEET;\nadd.u32 %r5, %r1, 1;\nMEET: " + kProduct,
      0, 0, 0, {}, {kWarp, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(TensorTest, AGuardThatOnlySomeLanesHoldIsReported) {
  run(std::string(kZeros) + "setp.lt.u32 %p1, %r1, 16;\n@%p1 " + kProduct, 0, 0, 0, {}, {kWarp, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("bad-sync 3"));
}

TEST_F(TensorTest, AWarpWithoutAllItsLanesIsReported) {
  run(std::string(kZeros) + kProduct, 0, 0, 0, {}, {kWarp + 16, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("bad-sync 2"));
  ASSERT_EQ(seen.findings.size(), 1U);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::missing_lanes);
  EXPECT_THAT(seen.findings[0].numbers, ElementsAre(0xffff0000));
}

// --- what is refused ---

class RefusedTest : public TensorTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(RefusedTest, ByNameAndLine) {
  const std::string instruction = GetParam();
  try {
    device.kernel(device.load_ptx(kernel_text("mov.u32 %r2, 1;\n" + instruction)), "kernel");
    FAIL() << "decoded";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), DeviceError::Code::unsupported) << error.what();
    EXPECT_THAT(error.what(), ::testing::HasSubstr("kernel.cu:2"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr(instruction.substr(0, instruction.find_first_of(" ;"))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tensor, RefusedTest,
    ::testing::Values(
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%r2,%r3}, "
        "{%r4,%r5}, "
        "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
        "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r2,%r3,%r4,%r5}, {%r6,%r7}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r2,%r3,%r4,%r5}, {%r6,%r7}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16 {%r8,%r9}, {%r2,%r3,%r4,%r5}, {%r6,%r7}, "
        "{%r8,%r9};",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {%f0,%f1,%f2,%f3}, "
        "{%r2,%r3,%r4,%r5}, "
        "{%r6,%r7}, {%f0,%f1,%f2,%f3};",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r2,%r3,%r4,%r5}, "
        "{%r6,%r7,%r8,%r9}, {%f0,%f1,%f2,%f3}, %r10, 0;",
        "mma.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r2,%r3}, {%r4}, {%f0,%f1,%f2,%f3};",
        "wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r2}, [%d0], 32;",
        "wmma.load.a.sync.aligned.row.m16n8k16.global.f16 {%r2,%r3,%r4,%r5}, [%d0], 16;",
        "wmma.load.a.sync.aligned.row.m16n16k16.local.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%d0], 16;",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r2,%r3}, [%r4];",
        "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r4], {%r2};", "wgmma.fence.sync.aligned;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d1, 1, 1, 1, 0, 0;",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 32;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%d0, {%r3, "
        "%r4}], "
        "[%r5];"));

class MalformedTest : public TensorTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(MalformedTest, IsRefused) {
  EXPECT_THROW(device.kernel(device.load_ptx(kernel_text(GetParam())), "kernel"), DeviceError);
}

INSTANTIATE_TEST_SUITE_P(
    Tensor, MalformedTest,
    ::testing::Values(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2}, {%r2,%r3}, {%r4}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r2,%r3}, {%r4};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%d2,%d3}, {%r4}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%h2,%h3}, {%r4}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%p2,%p3}, {%r4}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {1,%f1,%f2,%f3}, {%r2,%r3}, {%r4}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32;",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2,%r3,%r4,%r5}, [%d0], 16;",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, %d0, 16;",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%d0], %d1;",
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d0], {%f0,%f1}, 16;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2}, [%r4];",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2};", "movmatrix.sync.aligned.m8n8.trans.b16 %r2;",
        "movmatrix.sync.aligned.m8n8.trans.b16 %d2, %r2;"));

}  // namespace
}  // namespace lockstep::emulator
