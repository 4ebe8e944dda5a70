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

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

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
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(2 * fraction - 1, static_cast<int>(mantissa_bits)));
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
  body += e.instruction + "." + type + "." + e.a.name + "." + e.b.name + "." + type + e.ending + " " + d + ", " +
          list(multiplicand, first, a_registers) + ", " + list(multiplicand, first + b_first, b_registers) + ", " +
          d + ";\n";
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
Position k256_bit_b(unsigned g, unsigned t, unsigned i) { return {32 * t + (i & 31) + (i < 32 ? 0 : 128), g}; }
Position k16_double_a(unsigned g, unsigned t, unsigned i) { return {i % 2 == 0 ? g : g + 8, i / 2 * 4 + t}; }
Position k16_double_b(unsigned g, unsigned t, unsigned i) { return {4 * i + t, g}; }

std::string mma(const std::string& shape) { return "mma.sync.aligned." + shape + ".row.col"; }

INSTANTIATE_TEST_SUITE_P(
    Floating, MmaTest,
    ::testing::Values(
        Example{"m16n8k8_f16", mma("m16n8k8"), 16, 8, 8, kF16, kF16, kF32, 4, 2, k8_half_a, k8_half_b},
        Example{"m16n8k8_f16_f16", mma("m16n8k8"), 16, 8, 8, kF16, kF16, kF16, 4, 2, k8_half_a, k8_half_b},
        Example{"m16n8k16_f16", mma("m16n8k16"), 16, 8, 16, kF16, kF16, kF32, 8, 4, k16_half_a, k16_half_b},
        Example{"m16n8k16_f16_f16", mma("m16n8k16"), 16, 8, 16, kF16, kF16, kF16, 8, 4, k16_half_a, k16_half_b},
        Example{"m16n8k8_bf16", mma("m16n8k8"), 16, 8, 8, kBf16, kBf16, kF32, 4, 2, k8_half_a, k8_half_b},
        Example{"m16n8k16_bf16", mma("m16n8k16"), 16, 8, 16, kBf16, kBf16, kF32, 8, 4, k16_half_a, k16_half_b},
        Example{"m16n8k4_tf32", mma("m16n8k4"), 16, 8, 4, kTf32, kTf32, kF32, 2, 1, k4_a, k4_b},
        Example{"m16n8k8_tf32", mma("m16n8k8"), 16, 8, 8, kTf32, kTf32, kF32, 4, 2, k8_word_a, k8_word_b},
        Example{"m16n8k32_e4m3", mma("m16n8k32"), 16, 8, 32, kE4m3, kE4m3, kF32, 16, 8, k32_byte_a, k32_byte_b},
        Example{"m16n8k32_e5m2_e4m3", mma("m16n8k32"), 16, 8, 32, kE5m2, kE4m3, kF32, 16, 8, k32_byte_a,
                k32_byte_b},
        Example{"m16n8k16_e4m3_f16", mma("m16n8k16"), 16, 8, 16, kE4m3, kE4m3, kF16, 8, 4, k16_byte_a,
                k16_byte_b},
        Example{"m8n8k4_f64", mma("m8n8k4"), 8, 8, 4, kF64, kF64, kF64, 1, 1,
                [](unsigned g, unsigned t, unsigned) { return Position{g, t}; }, k4_b},
        Example{"m16n8k4_f64", mma("m16n8k4"), 16, 8, 4, kF64, kF64, kF64, 2, 1, k4_a, k4_b},
        Example{"m16n8k8_f64", mma("m16n8k8"), 16, 8, 8, kF64, kF64, kF64, 4, 2, k8_word_a, k8_word_b},
        Example{"m16n8k16_f64", mma("m16n8k16"), 16, 8, 16, kF64, kF64, kF64, 8, 4, k16_double_a, k16_double_b}),
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
        Example{"m16n8k32_s4_u4", mma("m16n8k32"), 16, 8, 32, kS4, kU4, kS32, 16, 8, k32_nibble_a, k32_nibble_b},
        Example{"m16n8k64_u4", mma("m16n8k64"), 16, 8, 64, kU4, kU4, kS32, 32, 16, k64_nibble_a, k64_nibble_b},
        Example{"m8n8k128_and", mma("m8n8k128"), 8, 8, 128, kB1, kB1, kS32, 32, 32, k128_bit_a, k128_bit_b,
                ".and.popc"},
        Example{"m16n8k128_xor", mma("m16n8k128"), 16, 8, 128, kB1, kB1, kS32, 64, 32, k128_bit_a, k128_bit_b,
                ".xor.popc"},
        Example{"m16n8k256_and", mma("m16n8k256"), 16, 8, 256, kB1, kB1, kS32, 128, 64, k256_bit_a, k256_bit_b,
                ".and.popc"},
        Example{"m16n8k256_xor", mma("m16n8k256"), 16, 8, 256, kB1, kB1, kS32, 128, 64, k256_bit_a, k256_bit_b,
                ".xor.popc"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep::emulator
