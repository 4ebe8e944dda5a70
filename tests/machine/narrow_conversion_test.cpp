// cvt to and from f16, bf16, tf32 and the floats of 8, 6 and 4 bits, against exact arithmetic over all codes
// or many.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "exact_arithmetic.h"

namespace lockstep::emulator {
namespace {

class NarrowConversionTest : public ArithmeticTest {
 protected:
  void expect(const std::string& from, const std::string& to, const std::string& instruction,
              const std::vector<Operands>& inputs,
              const std::function<std::uint64_t(const Operands&)>& expected) {
    const auto results = apply(with_registers(from, instruction, to), inputs);
    unsigned mismatches = 0;
    for (std::size_t i = 0; i < inputs.size() && mismatches < 5; ++i) {
      if (results[i] == expected(inputs[i])) continue;
      ++mismatches;
      ADD_FAILURE() << instruction << std::hex << ' ' << inputs[i].a << ' ' << inputs[i].b << ": "
                    << results[i] << ", not " << expected(inputs[i]);
    }
  }
};

/// A code of one format in another; infinity and NaN as IEEE has them, or the largest number with `finite`.
std::uint64_t converted(const BinaryFormat& from, const BinaryFormat& to, Direction direction,
                        std::uint64_t code, bool finite = false) {
  if (from.is_nan(code)) return to.sign_bit() - 1;
  const std::uint64_t sign = from.is_negative(code) ? to.sign_bit() : 0;
  if (from.is_infinite(code)) return sign | (finite ? to.infinity() - 1 : to.infinity());
  if (from.is_zero(code)) return sign;
  const std::uint64_t result = rounded(to, direction, from.value(code));
  return finite && to.is_infinite(result) ? result - 1 : result;
}

std::vector<Operands> all_halves() {
  std::vector<Operands> inputs;
  for (std::uint64_t code = 0; code < 0x10000; ++code) inputs.push_back({code, code * 40503 & 0xFFFF, 0});
  return inputs;
}

/// Operands whose values lie in, and round, as f16's, bf16's and 8-bit floats' do.
std::vector<Operands> floats_for(const BinaryFormat& to) {
  std::vector<Operands> inputs = sample_operands(kFormatF32, 3000);
  std::mt19937 generator(7);
  const int bias = (1 << (to.exponent_bits - 1)) - 1;
  const int low = -bias - static_cast<int>(to.fraction_bits) - 2;
  for (unsigned i = 0; i < 6000; ++i) {
    const auto random = [&] {
      // Half of them end in a tie.
      const auto bits = static_cast<std::uint32_t>(generator());
      const double fraction = generator() % 2 == 0 ? bits % 4096 / 4096.0 : bits / 4294967296.0;
      const int exponent = low + static_cast<int>(generator() % static_cast<unsigned>(2 * bias + 20));
      const auto value = static_cast<float>(std::ldexp(1 + fraction, exponent));
      return std::uint64_t{std::bit_cast<std::uint32_t>(generator() % 2 == 0 ? value : -value)};
    };
    inputs.push_back({random(), random(), 0});
  }
  return inputs;
}

TEST_F(NarrowConversionTest, SinglePrecisionToHalves) {
  for (const auto& [name, format] : {std::pair("f16", kFormatF16), std::pair("bf16", kFormatBf16)}) {
    const auto inputs = floats_for(format);
    for (const Rounding& rounding : kRoundings) {
      expect("f32", name, std::string("cvt.") + rounding.name + "." + name + ".f32 D, A;", inputs,
             [&, format = format](const Operands& in) {
               return converted(kFormatF32, format, rounding.direction, in.a);
             });
    }
    const std::string packed = std::string(name) + "x2";
    const auto pair = [&, format = format](Direction direction, bool finite) {
      return [=](const Operands& in) {
        return converted(kFormatF32, format, direction, in.a, finite) << 16 |
               converted(kFormatF32, format, direction, in.b, finite);
      };
    };
    expect("f32", "b32", "cvt.rn." + packed + ".f32 D, A, B;", inputs, pair(Direction::nearest, false));
    expect("f32", "b32", "cvt.rz." + packed + ".f32 D, A, B;", inputs, pair(Direction::zero, false));
    expect("f32", "b32", "cvt.rn.satfinite." + packed + ".f32 D, A, B;", inputs,
           pair(Direction::nearest, true));
    expect("f32", name, std::string("cvt.rn.relu.") + name + ".f32 D, A;", inputs,
           [&, format = format](const Operands& in) {
             const bool rectified = kFormatF32.is_negative(in.a) && !kFormatF32.is_nan(in.a);
             return rectified ? 0 : converted(kFormatF32, format, Direction::nearest, in.a);
           });
  }
}

TEST_F(NarrowConversionTest, DoublePrecisionAndTf32) {
  auto doubles = sample_operands(kFormatF64, 2000);
  for (const Operands& in : floats_for(kFormatF16)) {
    // One bit beyond a float's, which two roundings would lose.
    const double value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(in.a)));
    doubles.push_back({std::bit_cast<std::uint64_t>(value) | 1, 0, 0});
  }
  for (const auto& [name, format] : {std::pair("f16", kFormatF16), std::pair("bf16", kFormatBf16)}) {
    for (const Rounding& rounding : kRoundings) {
      expect("f64", name, std::string("cvt.") + rounding.name + "." + name + ".f64 D, A;", doubles,
             [&, format = format](const Operands& in) {
               if (kFormatF64.is_nan(in.a) && format.exponent_bits == 5)
                 return (in.a >> 48 & 0x8000) | 0x7E00 | (in.a >> 42 & 0x1FF);
               return converted(kFormatF64, format, rounding.direction, in.a);
             });
    }
  }
  const auto inputs = floats_for(kFormatTf32);
  for (const auto& [rounding, direction] :
       {std::pair("rna", Direction::away), std::pair("rn", Direction::nearest),
        std::pair("rz", Direction::zero)}) {
    for (const bool finite : {false, true}) {
      expect("f32", "b32", std::string("cvt.") + rounding + (finite ? ".satfinite" : "") + ".tf32.f32 D, A;",
             inputs, [&, direction = direction](const Operands& in) {
               if (direction == Direction::away && kFormatF32.is_nan(in.a))
                 return in.a & ~std::uint64_t{0x1FFF};
               return converted(kFormatF32, kFormatTf32, direction, in.a, finite) << 13;
             });
    }
  }
}

TEST_F(NarrowConversionTest, HalvesToWiderFloats) {
  const auto inputs = all_halves();
  for (const auto& [name, format] : {std::pair("f16", kFormatF16), std::pair("bf16", kFormatBf16)}) {
    // Both hold every value of 16 bits.
    const auto floats = apply(with_registers(name, std::string("cvt.f32.") + name + " D, A;", "f32"), inputs);
    const auto doubles =
        apply(with_registers(name, std::string("cvt.f64.") + name + " D, A;", "f64"), inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double value = double_of(format, inputs[i].a);
      if (std::isnan(value)) {
        ASSERT_EQ(floats[i], format.exponent_bits == 8 ? inputs[i].a << 16 : 0x7FFF'FFFFU);
        ASSERT_TRUE(kFormatF64.is_nan(doubles[i]));
      } else {
        ASSERT_EQ(floats[i], std::bit_cast<std::uint32_t>(static_cast<float>(value))) << inputs[i].a;
        ASSERT_EQ(doubles[i], std::bit_cast<std::uint64_t>(value)) << inputs[i].a;
      }
    }
  }
  std::vector<Operands> some;
  for (std::size_t i = 0; i < inputs.size(); i += 7) some.push_back(inputs[i]);
  expect("f16", "bf16", "cvt.rn.bf16.f16 D, A;", some,
         [](const Operands& in) { return converted(kFormatF16, kFormatBf16, Direction::nearest, in.a); });
  expect("bf16", "f16", "cvt.rm.f16.bf16 D, A;", some,
         [](const Operands& in) { return converted(kFormatBf16, kFormatF16, Direction::down, in.a); });
}

TEST_F(NarrowConversionTest, HalvesToIntegers) {
  struct To {
    const char* type;
    double low, high;
    std::uint64_t low_code, high_code;
  };
  const To kTypes[] = {{"s8", -128, 127, 0xFF80, 0x7F},
                       {"u8", 0, 255, 0, 0xFF},
                       {"s16", -32768, 32767, 0x8000, 0x7FFF},
                       {"u16", 0, 65535, 0, 0xFFFF},
                       {"s32", -0x1p31, 0x1p31, 0x8000'0000, 0x7FFF'FFFF},
                       {"u32", 0, 0x1p32, 0, 0xFFFF'FFFF},
                       {"s64", -0x1p63, 0x1p63, 0x8000'0000'0000'0000, 0x7FFF'FFFF'FFFF'FFFF},
                       {"u64", 0, 0x1p64, 0, ~std::uint64_t{0}}};
  const std::pair<const char*, double (*)(double)> kIntegral[] = {
      {"rni", std::nearbyint}, {"rzi", std::trunc}, {"rmi", std::floor}, {"rpi", std::ceil}};
  const auto inputs = all_halves();
  for (const auto& [name, format] : {std::pair("f16", kFormatF16), std::pair("bf16", kFormatBf16)}) {
    for (const auto& [rounding, integral] : kIntegral) {
      for (const To& to : kTypes) {
        const std::string type = to.type;
        const bool byte = type == "s8" || type == "u8";
        const std::uint64_t mask = type.ends_with("64")   ? ~std::uint64_t{0}
                                   : type.ends_with("32") ? 0xFFFF'FFFF
                                                          : 0xFFFF;
        expect(name, byte ? "b16" : type, std::string("cvt.") + rounding + "." + type + "." + name + " D, A;",
               inputs, [&, format = format, integral = integral](const Operands& in) -> std::uint64_t {
                 const double value = integral(double_of(format, in.a));
                 if (std::isnan(value)) return type.ends_with("64") ? std::uint64_t{1} << 63 : 0;
                 if (value <= to.low) return to.low_code;
                 if (value >= to.high) return to.high_code;
                 const auto magnitude = static_cast<std::uint64_t>(std::fabs(value));
                 return (value < 0 ? 0 - magnitude : magnitude) & mask;
               });
      }
      const auto integers = apply(
          with_registers(name, std::string("cvt.") + rounding + "." + name + "." + name + " D, A;"), inputs);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const double value = integral(double_of(format, inputs[i].a));
        if (std::isnan(value)) {
          ASSERT_EQ(integers[i], 0x7FFFU);
        } else {
          ASSERT_EQ(double_of(format, integers[i]), value) << inputs[i].a;
          ASSERT_EQ(format.is_negative(integers[i]), std::signbit(value)) << inputs[i].a;
        }
      }
    }
  }
}

TEST_F(NarrowConversionTest, IntegersToHalves) {
  std::vector<Operands> inputs;
  std::mt19937_64 generator(3);
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t value = generator() >> (i % 64);
    inputs.push_back({value, 0, 0});
    inputs.push_back({~value, 0, 0});
    // A tie of bf16 that one bit far below breaks.
    inputs.push_back({(0x101 + 2 * (value & 0x7F)) << (i % 54) | 1, 0, 0});
  }
  for (const std::uint64_t edge : {0ULL, 1ULL, 65519ULL, 65520ULL, 65535ULL, ~0ULL, 1ULL << 63})
    inputs.push_back({edge, 0, 0});
  for (const auto& [name, format] : {std::pair("f16", kFormatF16), std::pair("bf16", kFormatBf16)}) {
    for (const Rounding& rounding : kRoundings) {
      for (const std::string type : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
        const unsigned bits = static_cast<unsigned>(std::stoi(type.substr(1)));
        expect(type, name, std::string("cvt.") + rounding.name + "." + name + "." + type + " D, A;", inputs,
               [&, format = format](const Operands& in) -> std::uint64_t {
                 const std::uint64_t kept = in.a << (64 - bits) >> (64 - bits);
                 const bool negative = type[0] == 's' && (kept >> (bits - 1)) != 0;
                 const std::uint64_t magnitude = negative ? (0 - kept) << (64 - bits) >> (64 - bits) : kept;
                 if (magnitude == 0) return 0;
                 return rounded(format, rounding.direction, ExactNumber(negative, magnitude, 0));
               });
      }
    }
  }
}

/// The value of an 8-bit float, as "FP8 formats for deep learning" defines it; NaN and infinity as double's.
double value_of_8_bits(std::uint64_t code, bool e4m3) {
  const unsigned fraction_bits = e4m3 ? 3 : 2;
  const int bias = e4m3 ? 7 : 15;
  const std::uint64_t magnitude = code & 0x7F;
  const double sign = (code & 0x80) != 0 ? -1 : 1;
  if (e4m3 ? magnitude == 0x7F : magnitude > 0x7C) return std::nan("");
  if (!e4m3 && magnitude == 0x7C) return sign * HUGE_VAL;
  const int field = static_cast<int>(magnitude >> fraction_bits);
  const auto fraction = static_cast<double>(magnitude & ((1U << fraction_bits) - 1));
  const double one = 1U << fraction_bits;
  return sign * std::ldexp(field == 0 ? fraction : fraction + one,
                           (field == 0 ? 1 : field) - bias - static_cast<int>(fraction_bits));
}

/// The nearest of the 8-bit numbers, found by looking at all up to the first that lies beyond.
std::uint64_t nearest_8_bits(double value, bool e4m3) {
  if (std::isnan(value)) return 0x7F;
  const double magnitude = std::fabs(value);
  const std::uint64_t sign = std::signbit(value) ? 0x80 : 0;
  const std::uint64_t largest = e4m3 ? 0x7E : 0x7B;
  if (magnitude >= value_of_8_bits(largest, e4m3)) return sign | largest;
  std::uint64_t above = 1;
  while (value_of_8_bits(above, e4m3) <= magnitude) ++above;
  const double up = value_of_8_bits(above, e4m3) - magnitude;
  const double down = magnitude - value_of_8_bits(above - 1, e4m3);
  const bool goes_up = up < down || (up == down && above % 2 == 0);
  return sign | (goes_up ? above : above - 1);
}

TEST_F(NarrowConversionTest, EightBitFloats) {
  for (const bool e4m3 : {true, false}) {
    const std::string type = e4m3 ? "e4m3x2" : "e5m2x2";
    const auto narrow = [=](double value) { return nearest_8_bits(value, e4m3); };
    const auto single = [](std::uint64_t code) {
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(code)));
    };
    const auto floats = floats_for(e4m3 ? BinaryFormat{4, 3} : BinaryFormat{5, 2});
    expect("f32", "b16", "cvt.rn.satfinite." + type + ".f32 D, A, B;", floats,
           [&](const Operands& in) { return narrow(single(in.a)) << 8 | narrow(single(in.b)); });
    expect("f32", "b16", "cvt.rn.satfinite.relu." + type + ".f32 D, A, B;", floats, [&](const Operands& in) {
      const auto rectified = [&](std::uint64_t code) { return single(code) <= 0 ? 0 : narrow(single(code)); };
      return rectified(in.a) << 8 | rectified(in.b);
    });
    std::vector<Operands> halves;
    for (const Operands& in : all_halves()) halves.push_back({in.a << 16 | in.b, 0, 0});
    expect("b32", "b16", "cvt.rn.satfinite." + type + ".f16x2 D, A;", halves, [&](const Operands& in) {
      return narrow(double_of(kFormatF16, in.a >> 16)) << 8 | narrow(double_of(kFormatF16, in.a & 0xFFFF));
    });
    expect("b16", "b32", "cvt.rn.f16x2." + type + " D, A;", all_halves(), [&](const Operands& in) {
      const auto wide = [&](std::uint64_t code) {
        const double value = value_of_8_bits(code, e4m3);
        if (std::isnan(value)) return std::uint64_t{0x7FFF};
        return converted(kFormatF64, kFormatF16, Direction::nearest, std::bit_cast<std::uint64_t>(value));
      };
      return wide(in.a >> 8) << 16 | wide(in.a & 0xFF);
    });
  }
}

/// The numbers of a format of 4 or 6 bits, in the order of their codes, as the OCP specification of
/// microscaling formats lists them; it has no infinity and no NaN.
struct TinyFormat {
  const char* type;
  unsigned exponent_bits, fraction_bits;
  std::vector<double> numbers;

  TinyFormat(const char* name, unsigned exponent, unsigned fraction)
      : type(name), exponent_bits(exponent), fraction_bits(fraction) {
    const double step = std::ldexp(1, 2 - (1 << (exponent - 1)) - static_cast<int>(fraction));
    double value = 0;
    for (unsigned code = 0; code < 1U << (exponent + fraction); ++code) {
      numbers.push_back(value);
      const unsigned field = code >> fraction;
      value += std::ldexp(step, field == 0 ? 0 : static_cast<int>(field) - 1);
    }
  }
  std::uint64_t sign() const { return numbers.size(); }
  double value(std::uint64_t code) const {
    const double magnitude = numbers[code % numbers.size()];
    return (code & sign()) != 0 ? -magnitude : magnitude;
  }
  /// What is not a number becomes the largest, as PTX has it.
  std::uint64_t nearest(double number) const {
    if (std::isnan(number)) return numbers.size() - 1;
    const double magnitude = std::min(std::fabs(number), numbers.back());
    std::uint64_t best = 0;
    for (std::uint64_t code = 1; code < numbers.size(); ++code) {
      const double closer = std::fabs(numbers[best] - magnitude) - std::fabs(numbers[code] - magnitude);
      if (closer > 0 || (closer == 0 && code % 2 == 0)) best = code;
    }
    return best | (std::signbit(number) ? sign() : 0);
  }
};

TEST_F(NarrowConversionTest, FloatsOfFourAndSixBits) {
  const TinyFormat e2m1("e2m1x2", 2, 1), e2m3("e2m3x2", 2, 3), e3m2("e3m2x2", 3, 2);
  EXPECT_EQ(e2m1.numbers, (std::vector<double>{0, 0.5, 1, 1.5, 2, 3, 4, 6}));
  EXPECT_EQ(e2m3.numbers.back(), 7.5);
  EXPECT_EQ(e3m2.numbers.back(), 28);
  for (const TinyFormat* format : {&e2m1, &e2m3, &e3m2}) {
    const unsigned shift = format == &e2m1 ? 4 : 8;
    const std::string type = format->type;
    const auto narrow = [&](std::uint64_t code, bool rectified) {
      const double number = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(code)));
      return rectified && number <= 0 ? 0 : format->nearest(number);
    };
    for (const bool rectified : {false, true}) {
      // The byte that holds two of 4 bits is read back out of a wider register.
      const std::string convert =
          std::string("cvt.rn.satfinite") + (rectified ? ".relu." : ".") + type + ".f32 ";
      const std::string text =
          shift == 4 ? "{ .reg .b8 %q; " + convert + "%q, A, B; mov.b16 D, {%q, 0}; }" : convert + "D, A, B;";
      expect("f32", "b16", text, floats_for({format->exponent_bits, format->fraction_bits}),
             [&](const Operands& in) { return narrow(in.a, rectified) << shift | narrow(in.b, rectified); });
      const std::string widen = std::string("cvt.rn") + (rectified ? ".relu" : "") + ".f16x2." + type;
      const std::string back =
          shift == 4 ? "{ .reg .b8 %q, %s; mov.b16 {%q, %s}, A; " + widen + " D, %q; }" : widen + " D, A;";
      expect("b16", "b32", back, all_halves(), [&](const Operands& in) {
        const auto wide = [&](std::uint64_t code) {
          const double value = format->value(code % (2 * format->sign()));
          if (rectified && value <= 0) return std::uint64_t{0};
          return converted(kFormatF64, kFormatF16, Direction::nearest, std::bit_cast<std::uint64_t>(value));
        };
        return wide(in.a >> shift) << 16 | wide(in.a);
      });
    }
  }
}

TEST_F(NarrowConversionTest, PowersOfTwo) {
  const auto inputs = sample_operands(kFormatF32, 6000);
  const auto scale = [](double number, bool up, bool finite) -> std::uint64_t {
    if (std::isnan(number) || (std::isinf(number) && !finite)) return 0xFF;
    const double magnitude = std::fabs(number);
    std::uint64_t code = 0;
    while (code < 0xFF && std::ldexp(1, static_cast<int>(code) - 127) < magnitude) ++code;
    const bool between = std::ldexp(1, static_cast<int>(code) - 127) != magnitude;
    if (!up && between && code > 0) --code;
    return finite && code == 0xFF ? 0xFE : code;
  };
  const auto single = [](std::uint64_t code) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(code)));
  };
  for (const bool up : {false, true}) {
    for (const bool finite : {false, true}) {
      const std::string name = std::string("cvt.") + (up ? "rp" : "rz") + (finite ? ".satfinite" : "");
      expect("f32", "b16", name + ".ue8m0x2.f32 D, A, B;", inputs, [&](const Operands& in) {
        return scale(single(in.a), up, finite) << 8 | scale(single(in.b), up, finite);
      });
      std::vector<Operands> pairs;
      for (const Operands& in : all_halves()) pairs.push_back({in.a << 16 | in.b, 0, 0});
      expect("b32", "b16", name + ".ue8m0x2.bf16x2 D, A;", pairs, [&](const Operands& in) {
        return scale(single(in.a & 0xFFFF'0000), up, finite) << 8 | scale(single(in.a << 16), up, finite);
      });
    }
  }
  expect("b16", "b32", "cvt.rn.bf16x2.ue8m0x2 D, A;", all_halves(), [](const Operands& in) {
    const auto wide = [](std::uint64_t code) {
      const double value = code == 0xFF ? std::nan("") : std::ldexp(1, static_cast<int>(code) - 127);
      return converted(kFormatF64, kFormatBf16, Direction::nearest, std::bit_cast<std::uint64_t>(value));
    };
    return wide(in.a >> 8) << 16 | wide(in.a & 0xFF);
  });
}

TEST_F(NarrowConversionTest, RegistersWiderThanTheirTypes) {
  const std::vector<Operands> inputs = {{0xFFFF'FFFF'8000'8001, 0, 0}};
  EXPECT_EQ(apply("cvt.s64.s32 %d9, %d10;", inputs)[0], 0xFFFF'FFFF'8000'8001U);
  EXPECT_EQ(apply("cvt.s64.s16 %d9, %d10;", inputs)[0], 0xFFFF'FFFF'FFFF'8001U);
  EXPECT_EQ(apply("cvt.u64.u8 %d9, %d10;", inputs)[0], 1U);
  EXPECT_EQ(apply("cvt.u32.u64 %r4, %d10;\ncvt.s16.s32 %d9, %r4;", inputs)[0], 0xFFFF'FFFF'FFFF'8001U);
}

}  // namespace
}  // namespace lockstep::emulator
