// f32 and f64 in all four roundings, with and without .ftz, against exact arithmetic; and .ftz where nothing
// is computed.
#include <bit>
#include <cmath>
#include <functional>

#include "exact_arithmetic.h"

namespace lockstep::emulator {
namespace {

constexpr std::uint64_t kNan32 = 0x7FFF'FFFF;
constexpr std::uint64_t kNan64 = 0xFFF8'0000'0000'0000;  // of an invalid operation

struct Opcode {
  const char* name;
  const char* operands;
  Arithmetic operation;
};
constexpr Opcode kOpcodes[] = {
    {"add", "D, A, B", Arithmetic::add},      {"sub", "D, A, B", Arithmetic::subtract},
    {"mul", "D, A, B", Arithmetic::multiply}, {"fma", "D, A, B, C", Arithmetic::fused},
    {"div", "D, A, B", Arithmetic::divide},   {"rcp", "D, A", Arithmetic::reciprocal},
    {"sqrt", "D, A", Arithmetic::square_root}};

class RoundingTest : public ArithmeticTest {
 protected:
  void expect(const std::string& type, const std::string& instruction, const std::vector<Operands>& inputs,
              const std::function<std::uint64_t(const Operands&)>& expected,
              const std::function<bool(const Operands&, std::uint64_t)>& accepts = {}) {
    const auto results = apply(with_registers(type, instruction), inputs);
    unsigned mismatches = 0;
    for (std::size_t i = 0; i < inputs.size() && mismatches < 5; ++i) {
      const std::uint64_t wanted = expected(inputs[i]);
      if (results[i] == wanted || (accepts && accepts(inputs[i], results[i]))) continue;
      ++mismatches;
      ADD_FAILURE() << instruction << std::hex << ' ' << inputs[i].a << ' ' << inputs[i].b << ' '
                    << inputs[i].c << ": " << results[i] << ", not " << wanted;
    }
  }
};

TEST_F(RoundingTest, SinglePrecision) {
  const auto inputs = sample_operands(kFormatF32, 3000);
  for (const Opcode& opcode : kOpcodes) {
    for (const Rounding& rounding : kRoundings) {
      expect("f32", std::string(opcode.name) + "." + rounding.name + ".f32 " + opcode.operands + ";", inputs,
             [&](const Operands& in) {
               return exact_result(kFormatF32, opcode.operation, rounding.direction, in, kNan32);
             });
    }
  }
}

TEST_F(RoundingTest, SinglePrecisionFlushed) {
  const auto inputs = sample_operands(kFormatF32, 3000);
  for (const Opcode& opcode : kOpcodes) {
    for (const Rounding& rounding : kRoundings) {
      expect("f32", std::string(opcode.name) + "." + rounding.name + ".ftz.f32 " + opcode.operands + ";",
             inputs, [&](const Operands& in) {
               return flushed_result(kFormatF32, opcode.operation, rounding.direction, in, kNan32);
             });
    }
  }
}

/// Operations on double keep the payload of an operand that is NaN.
TEST_F(RoundingTest, DoublePrecision) {
  const auto inputs = sample_operands(kFormatF64, 1500);
  const auto quiet = [](std::uint64_t code) { return code | 0x0008'0000'0000'0000; };
  for (const Opcode& opcode : kOpcodes) {
    const bool two =
        opcode.operation != Arithmetic::reciprocal && opcode.operation != Arithmetic::square_root;
    const bool three = opcode.operation == Arithmetic::fused;
    for (const Rounding& rounding : kRoundings) {
      expect(
          "f64", std::string(opcode.name) + "." + rounding.name + ".f64 " + opcode.operands + ";", inputs,
          [&](const Operands& in) {
            return exact_result(kFormatF64, opcode.operation, rounding.direction, in, kNan64);
          },
          [&](const Operands& in, std::uint64_t result) {
            const auto is = [&](std::uint64_t code) {
              return kFormatF64.is_nan(code) && result == quiet(code);
            };
            return is(in.a) || (two && is(in.b)) || (three && is(in.c));
          });
    }
  }
}

TEST_F(RoundingTest, PairsOfSinglePrecision) {
  const auto single = sample_operands(kFormatF32, 1000);
  std::vector<Operands> inputs;
  for (std::size_t i = 0; i < single.size(); ++i) {
    const Operands &low = single[i], &high = single[(i + 7) % single.size()];
    inputs.push_back({low.a | high.a << 32, low.b | high.b << 32, low.c | high.c << 32});
  }
  const auto half = [](const Operands& in, unsigned shift) {
    const auto cut = [=](std::uint64_t word) { return word >> shift & 0xFFFF'FFFF; };
    return Operands{cut(in.a), cut(in.b), cut(in.c)};
  };
  for (const auto& [text, operation, direction] : std::vector<std::tuple<std::string, Arithmetic, Direction>>{
           {"add.rp.f32x2 D, A, B;", Arithmetic::add, Direction::up},
           {"mul.rn.f32x2 D, A, B;", Arithmetic::multiply, Direction::nearest},
           {"fma.rz.f32x2 D, A, B, C;", Arithmetic::fused, Direction::zero}}) {
    expect("f32x2", text, inputs, [&, operation = operation, direction = direction](const Operands& in) {
      return exact_result(kFormatF32, operation, direction, half(in, 0), kNan32) |
             exact_result(kFormatF32, operation, direction, half(in, 32), kNan32) << 32;
    });
  }
}

/// One operand, what an instruction makes of it, without .ftz and with.
struct FlushExample {
  const char* type;
  const char* instruction;  ///< "#" is where .ftz may stand
  const char* result;       ///< type
  std::uint64_t a, b, plain, flushed;
};

class FlushTest : public RoundingTest, public ::testing::WithParamInterface<FlushExample> {};

TEST_P(FlushTest, IsWhatTheModifierSays) {
  const FlushExample& example = GetParam();
  const std::vector<Operands> inputs = {{example.a, example.b, 0}};
  for (const bool flush : {false, true}) {
    std::string text = example.instruction;
    text.replace(text.find('#'), 1, flush ? ".ftz" : "");
    EXPECT_EQ(apply(with_registers(example.type, text, example.result), inputs)[0],
              flush ? example.flushed : example.plain)
        << text;
  }
}

constexpr std::uint64_t kTiny = 0x0000'1234, kMinusTiny = 0x8000'1234, kOne = 0x3F80'0000;
INSTANTIATE_TEST_SUITE_P(
    Places, FlushTest,
    ::testing::Values(
        FlushExample{"f32", "setp.gt#.f32 %p1, A, 0f00000000;\nselp.b32 D, 1, 0, %p1;", "b32", kTiny, 0, 1,
                     0},
        FlushExample{"f32", "setp.eq#.f32 %p1, A, B;\nselp.b32 D, 1, 0, %p1;", "b32", kTiny, kMinusTiny, 0,
                     1},
        FlushExample{"f32", "set.ne#.u32.f32 D, A, B;", "b32", kTiny, 0, 0xFFFF'FFFF, 0},
        FlushExample{"f32", "set.lt#.f32.f32 D, A, B;", "f32", kMinusTiny, 0, kOne, 0},
        FlushExample{"f32", "slct#.b32.f32 D, 5, 7, A;", "b32", kMinusTiny, 0, 7, 5},
        FlushExample{"f32", "min#.f32 D, A, B;", "f32", kMinusTiny, kOne, kMinusTiny, 0x8000'0000},
        FlushExample{"f32", "max#.f32 D, A, B;", "f32", kTiny, 0, kTiny, 0},
        FlushExample{"f32", "max#.NaN.f32 D, A, B;", "f32", kTiny, 0x8000'0000, kTiny, 0},
        FlushExample{"f32", "min#.xorsign.abs.f32 D, A, B;", "f32", kMinusTiny, kOne, kMinusTiny,
                     0x8000'0000},
        FlushExample{"f32", "abs#.f32 D, A;", "f32", kMinusTiny, 0, kTiny, 0},
        FlushExample{"f32", "neg#.f32 D, A;", "f32", kTiny, 0, kMinusTiny, 0x8000'0000},
        FlushExample{"f32", "cvt.rpi#.s32.f32 D, A;", "b32", kTiny, 0, 1, 0},
        FlushExample{"f32", "cvt.rmi#.s32.f32 D, A;", "b32", kMinusTiny, 0, 0xFFFF'FFFF, 0},
        FlushExample{"f32", "cvt.rpi#.f32.f32 D, A;", "f32", kTiny, 0, kOne, 0},
        FlushExample{"f32", "cvt#.sat.f32.f32 D, A;", "f32", kTiny, 0, kTiny, 0},
        FlushExample{"f32", "cvt#.f32.f32 D, A;", "f32", kMinusTiny, 0, kMinusTiny, 0x8000'0000},
        FlushExample{"f32", "cvt#.f64.f32 D, A;", "f64", 1, 0, 0x36A0'0000'0000'0000, 0},
        FlushExample{"f64", "cvt.rn#.f32.f64 D, A;", "f32", 0x36A0'0000'0000'0000, 0, 1, 0},
        FlushExample{"f64", "cvt.rm#.f32.f64 D, A;", "f32", 0xB6A0'0000'0000'0000, 0, 0x8000'0001,
                     0x8000'0000},
        FlushExample{"f32", "cvt.rp#.f16.f32 D, A;", "f16", kTiny, 0, 1, 0},
        FlushExample{"bf16", "cvt#.f32.bf16 D, A;", "f32", 0x8001, 0, 0x8001'0000, 0x8000'0000},
        FlushExample{"f16", "cvt#.f32.f16 D, A;", "f32", 1, 0, 0x3380'0000, 0x3380'0000},
        FlushExample{"f16", "setp.gt#.f16 %p1, A, B;\nselp.b32 D, 1, 0, %p1;", "b32", 1, 0, 1, 0},
        FlushExample{"f16", "abs#.f16 D, A;", "f16", 0x8001, 0, 1, 0},
        FlushExample{"f32", "ex2.approx#.f32 D, A;", "f32", 0xC301'0000, 0, 0x0010'0000, 0},
        FlushExample{"f32", "lg2.approx#.f32 D, A;", "f32", 0x0008'0000, 0, 0xC302'0000, 0xFF80'0000},
        FlushExample{"f32", "rsqrt.approx#.f32 D, A;", "f32", 0x0008'0000, 0, 0x6000'0000, 0x7F80'0000},
        FlushExample{"f32", "sin.approx#.f32 D, A;", "f32", kTiny, 0, kTiny, 0}));

/// The double's upper word alone, within 2^-20.
TEST_F(RoundingTest, GrossReciprocalsOfDoubles) {
  const std::vector<Operands> inputs = {{std::bit_cast<std::uint64_t>(3.0), 0, 0},
                                        {std::bit_cast<std::uint64_t>(-0.7), 0, 0},
                                        {1, 0, 0},
                                        {std::bit_cast<std::uint64_t>(1e300), 0, 0}};
  const auto reciprocals = apply(with_registers("f64", "rcp.approx.ftz.f64 D, A;"), inputs);
  const auto roots = apply(with_registers("f64", "rsqrt.approx.ftz.f64 D, A;"), inputs);
  for (const std::size_t i : {0, 1, 3}) {
    const auto x = std::bit_cast<double>(inputs[i].a);
    EXPECT_NEAR(std::bit_cast<double>(reciprocals[i]) * x, 1, std::exp2(-20));
    EXPECT_EQ(reciprocals[i] & 0xFFFF'FFFF, 0U);
    if (x > 0) {
      EXPECT_NEAR(std::bit_cast<double>(roots[i]) * std::sqrt(x), 1, std::exp2(-20));
    }
    EXPECT_EQ(roots[i] & 0xFFFF'FFFF, 0U);
  }
  EXPECT_EQ(reciprocals[2], 0x7FF0'0000'0000'0000U);
  EXPECT_EQ(roots[2], 0x7FF0'0000'0000'0000U);
}

class RefusalTest : public DeviceTest, public ::testing::WithParamInterface<const char*> {};

/// Modifiers that PTX does not allow there, and instructions of later processors, are refused by name.
TEST_P(RefusalTest, NamesTheInstruction) {
  const std::string instruction = GetParam();
  const Device::ModuleId module = device.load_ptx(kernel_text(instruction));
  try {
    device.kernel(module, "kernel");
    FAIL() << "decoded";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), DeviceError::Code::unsupported) << error.what();
    EXPECT_THAT(error.what(), ::testing::HasSubstr(instruction.substr(0, instruction.find(' '))));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Instructions, RefusalTest,
    ::testing::Values("add.ftz.f64 %g1, %g1, %g1;", "add.sat.u32 %r2, %r2, %r2;", "add.rn.u32 %r2, %r2, %r2;",
                      "add.rz.f16 %h1, %h1, %h1;", "fma.rn.sat.bf16 %h1, %h1, %h1, %h1;",
                      "min.ftz.s32 %r2, %r2, %r2;", "min.relu.u32 %r2, %r2, %r2;",
                      "min.f32 %f1, %f1, %f1, %f1;", "setp.lt.ftz.f64 %p1, %g1, %g1;",
                      "setp.lo.f16 %p1, %h1, %h1;", "selp.ftz.f32 %f1, %f1, %f1, %p1;",
                      "cvt.rna.f16.f32 %h1, %f1;", "cvt.rn.e4m3x2.f32 %h1, %f1, %f1;",
                      "cvt.rn.e2m1x2.f32 %h1, %f1, %f1;", "cvt.rn.ftz.f16.f64 %h1, %g1;",
                      "atom.global.add.f16 %h1, [%d0], %h1;", "atom.global.exch.b128 %d1, [%d0], %d2;",
                      "atom.global.exch.b16 %h1, [%d0], %h1;",
                      "atom.shared.add.v2.f32 {%f1, %f2}, [%d0], {%f1, %f2};",
                      "lop3.or.b32 %r2|%p1, %r2, %r2, %r2, 26, %p2;", "cvt.pack.sat.s16.s32 %r2, %r2, %r2;",
                      "ld.shared.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%d0];",
                      "mov.u32 %r2, %envreg3;", "redux.sync.min.f32 %f1, %f2, -1;",
                      "vset4.u32.u32.hs %r2, %r2, %r2, %r2;", "copysign.ftz.f32 %f1, %f1, %f1;"));

}  // namespace
}  // namespace lockstep::emulator
