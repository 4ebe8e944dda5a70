// f16 and bf16, alone and in pairs, against exact arithmetic.
#include <cmath>
#include <functional>

#include "exact_arithmetic.h"

namespace lockstep::emulator {
namespace {

constexpr std::uint64_t kNan = 0x7FFF;

struct HalfType {
  std::string name;
  BinaryFormat format;
};

class HalfTest : public ArithmeticTest, public ::testing::WithParamInterface<HalfType> {
 protected:
  const std::string& type() const { return GetParam().name; }
  const BinaryFormat& format() const { return GetParam().format; }
  bool is_f16() const { return type() == "f16"; }

  /// Runs the instruction on scalars, and on pairs of neighbouring operands; `expected` says what each gives.
  void expect(const std::string& opcode, const std::string& operands, const std::vector<Operands>& inputs,
              const std::function<std::uint64_t(const Operands&)>& expected) {
    const auto scalars = apply(with_registers(type(), opcode + "." + type() + " " + operands + ";"), inputs);
    std::vector<Operands> pairs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Operands &low = inputs[i], &high = inputs[(i + 1) % inputs.size()];
      pairs.push_back({low.a | high.a << 16, low.b | high.b << 16, low.c | high.c << 16});
    }
    const auto packed = apply(with_registers("b32", opcode + "." + type() + "x2 " + operands + ";"), pairs);
    std::vector<std::uint64_t> wanted;
    for (const Operands& in : inputs) wanted.push_back(expected(in));
    unsigned mismatches = 0;
    for (std::size_t i = 0; i < inputs.size() && mismatches < 5; ++i) {
      const std::uint64_t pair = wanted[i] | wanted[(i + 1) % inputs.size()] << 16;
      if (scalars[i] == wanted[i] && packed[i] == pair) continue;
      ++mismatches;
      ADD_FAILURE() << opcode << '.' << type() << std::hex << ' ' << inputs[i].a << ' ' << inputs[i].b << ' '
                    << inputs[i].c << ": " << scalars[i] << " and " << packed[i] << ", not " << wanted[i]
                    << " and " << pair;
    }
  }
  void expect_arithmetic(const std::string& opcode, Arithmetic operation,
                         const std::function<std::uint64_t(std::uint64_t)>& finish = {}, bool flush = false) {
    expect(opcode, operation == Arithmetic::fused ? "D, A, B, C" : "D, A, B", sample_operands(format(), 4000),
           [&](const Operands& in) {
             const std::uint64_t result =
                 (flush ? flushed_result : exact_result)(format(), operation, Direction::nearest, in, kNan);
             return finish ? finish(result) : result;
           });
  }
  std::vector<Operands> all_codes() const {
    std::vector<Operands> inputs;
    for (std::uint64_t code = 0; code < 0x10000; ++code) inputs.push_back({code, code ^ 0x8000, 0});
    return inputs;
  }
  std::uint64_t one() const { return is_f16() ? 0x3C00 : 0x3F80; }
  std::uint64_t saturated(std::uint64_t code) const {
    if (format().is_nan(code) || format().is_negative(code)) return 0;
    return code < one() ? code : one();
  }
  std::uint64_t rectified(std::uint64_t code) const {
    return !format().is_nan(code) && format().is_negative(code) ? 0 : code;
  }
};

TEST_P(HalfTest, RoundsOnce) {
  expect_arithmetic("add", Arithmetic::add);
  expect_arithmetic("sub.rn", Arithmetic::subtract);
  expect_arithmetic("mul", Arithmetic::multiply);
  expect_arithmetic("fma.rn", Arithmetic::fused);
}

TEST_P(HalfTest, RectifiesAfterRounding) {
  expect_arithmetic("fma.rn.relu", Arithmetic::fused, [&](std::uint64_t x) { return rectified(x); });
}

TEST_P(HalfTest, SaturatesAndFlushes) {
  if (!is_f16()) return;  // PTX has neither for bf16
  const auto saturate = [&](std::uint64_t x) { return saturated(x); };
  expect_arithmetic("add.sat", Arithmetic::add, saturate);
  expect_arithmetic("mul.rn.sat", Arithmetic::multiply, saturate);
  expect_arithmetic("fma.rn.sat", Arithmetic::fused, saturate);
  expect_arithmetic("add.ftz", Arithmetic::add, {}, true);
  expect_arithmetic("mul.ftz", Arithmetic::multiply, {}, true);
  expect_arithmetic("fma.rn.ftz", Arithmetic::fused, {}, true);
  expect_arithmetic("fma.rn.ftz.sat", Arithmetic::fused, saturate, true);
}

/// A product that lies half way between two results, and a summand too small for a double to keep.
TEST_P(HalfTest, TiesAreBrokenByTheSmallestSummand) {
  if (is_f16()) return;  // its range is too small for that
  const std::vector<Operands> inputs = {
      {0x3F81, 0x3F81, 0x0001}, {0x3F88, 0x3F88, 0x0001}, {0x3F88, 0x3F90, 0x8001}, {0x3F84, 0x3FA0, 0x0080}};
  expect("fma.rn", "D, A, B, C", inputs, [&](const Operands& in) {
    return exact_result(format(), Arithmetic::fused, Direction::nearest, in, kNan);
  });
}

TEST_P(HalfTest, SignsAndExtremes) {
  const auto inputs = sample_operands(format(), 2000);
  expect("neg", "D, A", inputs,
         [&](const Operands& in) { return format().is_nan(in.a) ? kNan : in.a ^ 0x8000; });
  expect("abs", "D, A", inputs,
         [&](const Operands& in) { return format().is_nan(in.a) ? kNan : in.a & 0x7FFF; });
  const auto extreme = [&](Operands in, bool least, bool propagate) -> std::uint64_t {
    const bool a = format().is_nan(in.a), b = format().is_nan(in.b);
    if ((a && b) || (propagate && (a || b))) return kNan;
    if (a || b) return a ? in.b : in.a;
    const int order = (format().value(in.a) - format().value(in.b)).sign();
    if (order == 0) return format().is_negative(in.a) == least ? in.a : in.b;
    return (order < 0) == least ? in.a : in.b;
  };
  for (const bool least : {true, false}) {
    const std::string name = least ? "min" : "max";
    expect(name, "D, A, B", inputs, [&](const Operands& in) { return extreme(in, least, false); });
    expect(name + ".NaN", "D, A, B", inputs, [&](const Operands& in) { return extreme(in, least, true); });
    expect(name + ".xorsign.abs", "D, A, B", inputs, [&](const Operands& in) {
      const std::uint64_t magnitude = extreme({in.a & 0x7FFF, in.b & 0x7FFF, 0}, least, false);
      return magnitude == kNan ? kNan : magnitude | ((in.a ^ in.b) & 0x8000);
    });
    if (is_f16()) {
      expect(name + ".ftz", "D, A, B", inputs, [&](const Operands& in) {
        return extreme({format().flushed(in.a), format().flushed(in.b), 0}, least, false);
      });
    }
  }
}

/// -1, 0, 1, or 2 for NaN.
int order_of(const BinaryFormat& format, std::uint64_t a, std::uint64_t b) {
  if (format.is_nan(a) || format.is_nan(b)) return 2;
  if (format.is_infinite(a) && format.is_infinite(b)) {
    return static_cast<int>(format.is_negative(b)) - static_cast<int>(format.is_negative(a));
  }
  return (format.value(a) - format.value(b)).sign();
}

struct Relation {
  const char* name;
  std::function<bool(int order)> holds;
};
const std::vector<Relation>& relations() {
  static const std::vector<Relation> kRelations = {{"eq", [](int o) { return o == 0; }},
                                                   {"ne", [](int o) { return o == -1 || o == 1; }},
                                                   {"lt", [](int o) { return o == -1; }},
                                                   {"le", [](int o) { return o <= 0; }},
                                                   {"gt", [](int o) { return o == 1; }},
                                                   {"ge", [](int o) { return o == 0 || o == 1; }},
                                                   {"equ", [](int o) { return o == 0 || o == 2; }},
                                                   {"neu", [](int o) { return o != 0; }},
                                                   {"ltu", [](int o) { return o == -1 || o == 2; }},
                                                   {"leu", [](int o) { return o != 1; }},
                                                   {"gtu", [](int o) { return o >= 1; }},
                                                   {"geu", [](int o) { return o >= 0; }},
                                                   {"num", [](int o) { return o != 2; }},
                                                   {"nan", [](int o) { return o == 2; }}};
  return kRelations;
}

TEST_P(HalfTest, Relations) {
  const auto inputs = sample_operands(format(), 500);
  for (const Relation& relation : relations()) {
    const auto truth = [&](std::uint64_t yes) {
      return [&, yes](const Operands& in) {
        return relation.holds(order_of(format(), in.a, in.b)) ? yes : std::uint64_t{0};
      };
    };
    const std::string set = std::string("set.") + relation.name + "." + type();
    expect(set, "D, A, B", inputs, truth(one()));
    const auto words = apply(
        with_registers(type(), std::string("set.") + relation.name + ".u32." + type() + " D, A, B;", "b32"),
        inputs);
    const auto predicates = apply(with_registers(type(),
                                                 std::string("setp.") + relation.name + "." + type() +
                                                     " %p1, A, B;\nselp.b32 D, 5, 7, %p1;",
                                                 "b32"),
                                  inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      ASSERT_EQ(words[i], truth(0xFFFF'FFFF)(inputs[i]))
          << set << std::hex << inputs[i].a << ' ' << inputs[i].b;
      ASSERT_EQ(predicates[i], truth(1)(inputs[i]) != 0 ? 5U : 7U) << set;
    }
  }
}

TEST_P(HalfTest, TwoPredicatesOfAPair) {
  // 1 < 2 and 3 < 2; combined with a predicate that is true.
  const std::uint64_t two = is_f16() ? 0x4000 : 0x4000, three = is_f16() ? 0x4200 : 0x4040;
  const std::vector<Operands> inputs = {{one() | three << 16, two | two << 16, 0}};
  const std::string bits = "selp.b32 %r40, 1, 0, %p1;\nselp.b32 %r41, 2, 0, %p2;\nor.b32 D, %r40, %r41;";
  const auto run_it = [&](const std::string& setp) {
    return apply(with_registers("b32", "setp.eq.u32 %p3, 1, 1;\n" + setp + bits), inputs)[0];
  };
  EXPECT_EQ(run_it("setp.lt." + type() + "x2 %p1|%p2, A, B;\n"), 1U);
  EXPECT_EQ(run_it("setp.lt.or." + type() + "x2 %p1|%p2, A, B, %p3;\n"), 3U);
  EXPECT_EQ(run_it("setp.lt.xor." + type() + "x2 %p1|%p2, A, B, %p3;\n"), 2U);
  EXPECT_EQ(run_it("setp.lt.and." + type() + "x2 %p1|%p2, A, B, !%p3;\n"), 0U);
  EXPECT_EQ(apply(with_registers("b32", "set.lt.u32." + type() + "x2 D, A, B;"), inputs)[0], 0x0000'FFFFU);
}

TEST_P(HalfTest, ApproximationsKeepTheirBounds) {
  const auto inputs = all_codes();
  const std::string exponential = is_f16() ? "ex2.approx." : "ex2.approx.ftz.";
  const auto powers = apply(with_registers(type(), exponential + type() + " D, A;"), inputs);
  const auto tangents = apply(with_registers(type(), "tanh.approx." + type() + " D, A;"), inputs);
  // Of f16: 2^-9.9 and 2^-10.987; of bf16: 2^-7 and 2^-8.
  const double power_bound = is_f16() ? std::exp2(-9.9) : std::exp2(-7);
  const double tangent_bound = is_f16() ? std::exp2(-10.987) : std::exp2(-8);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint64_t code = inputs[i].a;
    if (format().is_nan(code)) {
      ASSERT_EQ(powers[i], kNan);
      ASSERT_EQ(tangents[i], kNan);
      continue;
    }
    const double x = double_of(format(), code);
    const double tangent = std::tanh(x);
    ASSERT_LE(std::fabs(double_of(format(), tangents[i]) - tangent),
              tangent_bound * std::fabs(tangent) + double_of(format(), 1))
        << std::hex << code;
    const double power = std::exp2(x);
    if (power > double_of(format(), format().infinity() - 1)) {
      ASSERT_GE(powers[i], format().infinity() - 1) << std::hex << code;
    } else if (power >= double_of(format(), format().least_normal())) {
      ASSERT_LE(std::fabs(double_of(format(), powers[i]) - power), power_bound * power) << std::hex << code;
    }
  }
}

TEST_P(HalfTest, AtomicsAddAndReturnWhatWasThere) {
  // 256 threads add 1 to one scalar and (1, 2) to one pair; small integers are exact.
  const std::uint32_t two = 0x4000;
  const auto word = static_cast<std::uint32_t>(one());
  const DeviceAddress out = upload(std::vector<std::uint32_t>(4, 0));
  const std::string body = "mov.b16 %h1, " + std::to_string(word) + ";\nmov.b32 %r2, " +
                           std::to_string(word | two << 16) + ";\nred.global.add.noftz." + type() +
                           " [%d0], %h1;\natom.global.add.noftz." + type() +
                           "x2 %r3, [%d0+4], %r2;\n"
                           "mov.u32 %r4, 0;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 st.global.u32 [%d0+8], 7;";
  ASSERT_EQ(run(body, out, 0, 0, {}, {128, 1, 1}).status, LaunchResult::Status::ok);
  const auto values = download<std::uint32_t>(out, 3);
  EXPECT_EQ(double_of(format(), values[0]), 128.0);
  EXPECT_EQ(double_of(format(), values[1] & 0xFFFF), 128.0);
  EXPECT_EQ(double_of(format(), values[1] >> 16), 256.0);
  EXPECT_EQ(values[2], 7U);
}

INSTANTIATE_TEST_SUITE_P(Types, HalfTest,
                         ::testing::Values(HalfType{"f16", kFormatF16}, HalfType{"bf16", kFormatBf16}),
                         [](const auto& test) { return test.param.name; });

class VectorAtomicTest : public DeviceTest {};

TEST_F(VectorAtomicTest, AddsEveryElement) {
  const DeviceAddress out = upload(std::vector<float>(8, 0));
  const std::string body =
      "cvt.rn.f32.u32 %f1, %r1;\natom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%d0], {%f1, %f1, 0f3F800000, "
      "0f40000000};\nred.global.add.v2.f32 [%d0+16], {%f1, 0f3F800000};";
  ASSERT_EQ(run(body, out, 0, 0, {}, {32, 1, 1}).status, LaunchResult::Status::ok);
  EXPECT_EQ(download<float>(out, 6), (std::vector<float>{496, 496, 32, 64, 496, 32}));
  EXPECT_EQ(run("red.global.add.v2.f32 [%d0+4], {%f1, %f1};", out, 0, 0, {}, {1, 1, 1}).status,
            LaunchResult::Status::misaligned_address);
}

TEST_F(VectorAtomicTest, TakesGenericAddressesOfGlobalMemory) {
  const DeviceAddress out = upload(std::vector<float>(8, 0));
  const std::string body =
      "cvt.rn.f32.u32 %f1, %r1;\natom.add.v4.f32 {%f2, %f3, %f4, %f5}, [%d0], {%f1, %f1, 0f3F800000, "
      "0f40000000};\nred.add.v2.f32 [%d0+16], {%f1, 0f3F800000};";
  ASSERT_EQ(run(body, out, 0, 0, {}, {32, 1, 1}).status, LaunchResult::Status::ok);
  EXPECT_EQ(download<float>(out, 6), (std::vector<float>{496, 496, 32, 64, 496, 32}));
  EXPECT_EQ(run("mov.u64 %d2, s;\ncvta.shared.u64 %d3, %d2;\nred.add.v2.f32 [%d3], {%f1, %f1};", out, 0, 0,
                {}, {1, 1, 1}, ".shared .align 16 .b8 s[16];\n")
                .status,
            LaunchResult::Status::illegal_address);
}

}  // namespace
}  // namespace lockstep::emulator
