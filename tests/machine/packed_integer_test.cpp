// Integers of 8 and 16 bits in one register, and the instructions that look for bits or multiply 24 of them,
// against loops over the elements.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

#include "exact_arithmetic.h"

namespace lockstep::emulator {
namespace {

class PackedIntegerTest : public ArithmeticTest {
 protected:
  static std::vector<Operands> random_words() {
    std::mt19937 generator(11);
    std::vector<Operands> inputs = {{0x8000'7FFF, 0xFFFF'0001, 5}, {0x80FF'7F00, 0x7F01'80FF, 0xFFFF'FFFF}};
    for (unsigned i = 0; i < 500; ++i) inputs.push_back({generator(), generator(), generator()});
    return inputs;
  }
  void expect(const std::string& instruction, const std::function<std::uint32_t(const Operands&)>& expected) {
    const auto inputs = random_words();
    const auto results = apply(with_registers("b32", instruction), inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      ASSERT_EQ(results[i], expected(inputs[i]))
          << instruction << std::hex << ' ' << inputs[i].a << ' ' << inputs[i].b << ' ' << inputs[i].c;
    }
  }
  /// f(a, b) of each element of `bits` bits, sign-extended or not, cut and put together.
  static std::function<std::uint32_t(const Operands&)> elements(unsigned bits, bool is_signed,
                                                                const std::function<int(int, int)>& f) {
    return [=](const Operands& in) {
      const auto element = [=](std::uint64_t word, unsigned shift) {
        const int value = static_cast<int>(word >> shift & ((1U << bits) - 1));
        return is_signed && value >= 1 << (bits - 1) ? value - (1 << bits) : value;
      };
      std::uint32_t result = 0;
      for (unsigned shift = 0; shift < 32; shift += bits) {
        const int value = f(element(in.a, shift), element(in.b, shift));
        result |= (static_cast<std::uint32_t>(value) & ((1U << bits) - 1)) << shift;
      }
      return result;
    };
  }
};

TEST_F(PackedIntegerTest, PairsOf16Bits) {
  const auto sum = [](int a, int b) { return a + b; };
  const auto least = [](int a, int b) { return std::min(a, b); };
  const auto greatest = [](int a, int b) { return std::max(a, b); };
  expect("add.u16x2 D, A, B;", elements(16, false, sum));
  expect("add.s16x2 D, A, B;", elements(16, true, sum));
  expect("min.u16x2 D, A, B;", elements(16, false, least));
  expect("min.s16x2 D, A, B;", elements(16, true, least));
  expect("max.u16x2 D, A, B;", elements(16, false, greatest));
  expect("max.s16x2 D, A, B;", elements(16, true, greatest));
  expect("max.s16x2.relu D, A, B;", elements(16, true, [](int a, int b) { return std::max({a, b, 0}); }));
  expect("min.relu.s16x2 D, A, B;",
         elements(16, true, [](int a, int b) { return std::max(std::min(a, b), 0); }));
  expect("max.s32.relu D, A, B;", [](const Operands& in) {
    return static_cast<std::uint32_t>(
        std::max({static_cast<std::int32_t>(in.a), static_cast<std::int32_t>(in.b), 0}));
  });
}

TEST_F(PackedIntegerTest, Video) {
  expect("vabsdiff4.u32.u32.u32 D, A, B, 0;",
         elements(8, false, [](int a, int b) { return std::abs(a - b); }));
  expect("vabsdiff2.u32.s32.s32 D, A, B, 0;",
         elements(16, true, [](int a, int b) { return std::abs(a - b); }));
  expect("vadd4.u32.u32.u32.sat D, A, B, 0;",
         elements(8, false, [](int a, int b) { return std::min(a + b, 255); }));
  expect("vsub2.s32.s32.s32.sat D, A, B, 0;",
         elements(16, true, [](int a, int b) { return std::clamp(a - b, -32768, 32767); }));
  expect("vavrg4.u32.u32.u32 D, A, B, 0;", elements(8, false, [](int a, int b) { return (a + b + 1) / 2; }));
  expect("vmin4.s32.s32.s32 D, A, B, 0;", elements(8, true, [](int a, int b) { return std::min(a, b); }));
  expect("vmax2.u32.u32.u32 D, A, B, 0;", elements(16, false, [](int a, int b) { return std::max(a, b); }));
  expect("vabsdiff4.u32.u32.u32.add D, A, B, C;", [](const Operands& in) {
    auto sum = static_cast<std::uint32_t>(in.c);
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const int difference = static_cast<int>(in.a >> shift & 0xFF) - static_cast<int>(in.b >> shift & 0xFF);
      sum += static_cast<std::uint32_t>(std::abs(difference));
    }
    return sum;
  });
}

TEST_F(PackedIntegerTest, HighHalvesOf24BitProducts) {
  const auto low_24 = [](std::uint64_t word) {
    const auto value = static_cast<std::int64_t>(word & 0xFF'FFFF);
    return value >= 0x80'0000 ? value - 0x100'0000 : value;
  };
  expect("mul24.hi.u32 D, A, B;", [](const Operands& in) {
    return static_cast<std::uint32_t>((in.a & 0xFF'FFFF) * (in.b & 0xFF'FFFF) >> 16);
  });
  expect("mul24.hi.s32 D, A, B;",
         [&](const Operands& in) { return static_cast<std::uint32_t>(low_24(in.a) * low_24(in.b) >> 16); });
  expect("mad24.hi.sat.s32 D, A, B, C;", [&](const Operands& in) {
    const std::int64_t sum = static_cast<std::int32_t>(low_24(in.a) * low_24(in.b) >> 16) +
                             std::int64_t{static_cast<std::int32_t>(in.c)};
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
  });
}

/// The examples of the PTX ISA, and bits that are not there.
TEST_F(PackedIntegerTest, FindsTheNthSetBit) {
  const auto found = [&](std::uint64_t mask, std::uint64_t base, std::int32_t offset) {
    return apply(with_registers("b32", "fns.b32 D, A, B, C;"),
                 {{mask, base, static_cast<std::uint32_t>(offset)}})[0];
  };
  EXPECT_EQ(found(0xAAAA'AAAA, 3, 1), 3U);
  EXPECT_EQ(found(0xAAAA'AAAA, 3, -1), 3U);
  EXPECT_EQ(found(0xAAAA'AAAA, 2, 1), 3U);
  EXPECT_EQ(found(0xAAAA'AAAA, 2, -1), 1U);
  EXPECT_EQ(found(0xAAAA'AAAA, 2, 0), 0xFFFF'FFFFU);
  EXPECT_EQ(found(0x8000'0001, 0, 2), 31U);
  EXPECT_EQ(found(0x8000'0001, 0, 3), 0xFFFF'FFFFU);
}

}  // namespace
}  // namespace lockstep::emulator
