// Single instructions against values worked out by hand from the PTX ISA.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

struct Example {
  const char* name;
  const char* body;  ///< computes %r9 (or %d9) from inputs that it sets itself
  std::uint64_t expected;
  bool wide = false;
};

void PrintTo(const Example& example, std::ostream* stream) { *stream << example.name; }

class InstructionTest : public DeviceTest, public ::testing::WithParamInterface<Example> {};

TEST_P(InstructionTest, GivesTheValueOfTheIsa) {
  const Example& example = GetParam();
  const DeviceAddress out = upload(std::vector<std::uint64_t>(32, 0));
  const std::string body =
      std::string(example.body) + "\nmul.wide.u32 %d2, %r1, 8;\nadd.u64 %d2, %d0, %d2;\n" +
      (example.wide ? "st.global.u64 [%d2], %d9;" : "cvt.u64.u32 %d9, %r9;\nst.global.u64 [%d2], %d9;");
  ASSERT_EQ(run(body, out, 0, 0, {}, {32, 1, 1}).status, LaunchResult::Status::ok);
  for (const std::uint64_t value : download<std::uint64_t>(out, 32)) ASSERT_EQ(value, example.expected);
}

constexpr std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

INSTANTIATE_TEST_SUITE_P(
    Integer, InstructionTest,
    ::testing::Values(
        Example{"add_wraps", "add.s32 %r9, 2147483647, 1;", 0x8000'0000},
        Example{"add_saturates", "mov.u32 %r2, 2147483647;\nadd.sat.s32 %r9, %r2, 1;", 0x7FFF'FFFF},
        Example{"mul_hi", "mov.u32 %r2, -2;\nmul.hi.s32 %r9, %r2, 3;", 0xFFFF'FFFF},
        Example{"mul_wide", "mov.u32 %r2, -2;\nmul.wide.s32 %d9, %r2, 3;", static_cast<std::uint64_t>(-6),
                true},
        Example{"mad_wide_unsigned", "mov.u32 %r2, -1;\nmov.u64 %d3, 5;\nmad.wide.u32 %d9, %r2, 2, %d3;",
                0x2'0000'0003, true},
        Example{"div_signed", "mov.u32 %r2, -7;\ndiv.s32 %r9, %r2, 2;", static_cast<std::uint32_t>(-3)},
        Example{"rem_signed", "mov.u32 %r2, -7;\nrem.s32 %r9, %r2, 2;", static_cast<std::uint32_t>(-1)},
        Example{"div_by_zero", "mov.u32 %r2, 7;\ndiv.u32 %r9, %r2, 0;", 0xFFFF'FFFF},
        Example{"div_overflow", "mov.u32 %r2, 0x80000000;\ndiv.s32 %r9, %r2, -1;", 0x8000'0000},
        Example{"shl_beyond", "mov.u32 %r2, 1;\nshl.b32 %r9, %r2, 32;", 0},
        Example{"shr_beyond_signed", "mov.u32 %r2, -5;\nshr.s32 %r9, %r2, 99;", 0xFFFF'FFFF},
        Example{"shf_left",
                "mov.u32 %r2, 0x80000001;\nmov.u32 %r3, 0x0000000F;\nshf.l.wrap.b32 %r9, %r2, %r3, 4;", 0xF8},
        Example{"shf_right",
                "mov.u32 %r2, 0x80000001;\nmov.u32 %r3, 0x0000000F;\nshf.r.wrap.b32 %r9, %r2, %r3, 4;",
                0xF800'0000},
        Example{
            "lop3",
            "mov.u32 %r2, 0xF0;\nmov.u32 %r3, 0xCC;\nmov.u32 %r4, 0xAA;\nlop3.b32 %r9, %r2, %r3, %r4, 0x96;",
            0x96},
        Example{"prmt", "mov.u32 %r2, 0x33221100;\nmov.u32 %r3, 0x77665544;\nprmt.b32 %r9, %r2, %r3, 0x7531;",
                0x7755'3311},
        Example{"prmt_sign", "mov.u32 %r2, 0x00008000;\nprmt.b32 %r9, %r2, 0, 0x4449;", 0x0000'00FF},
        Example{"bfe_signed", "mov.u32 %r2, 0x00000F00;\nbfe.s32 %r9, %r2, 8, 4;", 0xFFFF'FFFF},
        Example{"bfe_unsigned", "mov.u32 %r2, 0x00000F00;\nbfe.u32 %r9, %r2, 8, 4;", 0xF},
        Example{"bfi", "mov.u32 %r2, 5;\nmov.u32 %r3, -1;\nbfi.b32 %r9, %r2, %r3, 4, 4;", 0xFFFF'FF5F},
        Example{"bfind", "mov.u32 %r2, 0x00010000;\nbfind.u32 %r9, %r2;", 16},
        Example{"bfind_none", "mov.u32 %r2, 0;\nbfind.u32 %r9, %r2;", 0xFFFF'FFFF},
        Example{"clz", "mov.u32 %r2, 1;\nclz.b32 %r9, %r2;", 31},
        Example{"popc64", "mov.u64 %d2, 0xFFFF0000FFFF0000;\npopc.b64 %r9, %d2;", 32},
        Example{"brev", "mov.u32 %r2, 1;\nbrev.b32 %r9, %r2;", 0x8000'0000},
        Example{"dp4a",
                "mov.u32 %r2, 0x01020304;\nmov.u32 %r3, 0x01010101;\ndp4a.u32.u32 %r9, %r2, %r3, 100;", 110},
        Example{"dp4a_signed",
                "mov.u32 %r2, 0xFFFFFFFF;\nmov.u32 %r3, 0x02020202;\ndp4a.s32.u32 %r9, %r2, %r3, 0;",
                static_cast<std::uint32_t>(-8)},
        Example{"carry", "mov.u32 %r2, -1;\nadd.cc.u32 %r3, %r2, 1;\naddc.u32 %r9, 5, 0;", 6},
        Example{"borrow", "mov.u32 %r2, 0;\nsub.cc.u32 %r3, %r2, 1;\nsubc.u32 %r9, 5, 0;", 4},
        Example{"sad", "mov.u32 %r2, -3;\nsad.s32 %r9, %r2, 4, 10;", 17},
        Example{"min_unsigned", "mov.u32 %r2, -1;\nmin.u32 %r9, %r2, 3;", 3},
        Example{"min_signed", "mov.u32 %r2, -1;\nmin.s32 %r9, %r2, 3;", 0xFFFF'FFFF},
        Example{"cnot", "mov.u32 %r2, 0;\ncnot.b32 %r9, %r2;", 1},
        Example{"slct", "mov.u32 %r2, -1;\nslct.u32.s32 %r9, 10, 20, %r2;", 20},
        Example{"bmsk", "bmsk.clamp.b32 %r9, 4, 8;", 0xFF0},
        Example{"mul24", "mov.u32 %r2, 0x01FFFFFF;\nmul24.lo.u32 %r9, %r2, 1;", 0x00FF'FFFF}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Conversion, InstructionTest,
    ::testing::Values(
        Example{"sign_extend", "mov.u32 %r2, 0x80;\ncvt.s32.s8 %r9, %r2;", 0xFFFF'FF80},
        Example{"narrow", "mov.u32 %r2, 0x12345678;\ncvt.u16.u32 %h1, %r2;\ncvt.u32.u16 %r9, %h1;", 0x5678},
        Example{"widen_signed", "mov.u32 %r2, -3;\ncvt.s64.s32 %d9, %r2;", static_cast<std::uint64_t>(-3),
                true},
        Example{"widen_the_low_half", "mov.u64 %d3, 0x1FFFFFFFD;\ncvt.s64.s32 %d9, %d3;",
                static_cast<std::uint64_t>(-3), true},
        Example{"float_to_int_saturates", "mov.f32 %f1, 0f7F000000;\ncvt.rzi.s32.f32 %r9, %f1;", 0x7FFF'FFFF},
        Example{"nan_to_int_is_zero", "mov.f32 %f1, 0f7FC00000;\ncvt.rzi.s32.f32 %r9, %f1;", 0},
        Example{"negative_to_unsigned", "mov.f32 %f1, 0fBF800000;\ncvt.rzi.u32.f32 %r9, %f1;", 0},
        Example{"round_to_even", "mov.f32 %f1, 0f40200000;\ncvt.rni.s32.f32 %r9, %f1;", 2},
        Example{"round_up", "mov.f32 %f1, 0f40200000;\ncvt.rpi.s32.f32 %r9, %f1;", 3},
        Example{"int_to_float_down", "mov.u32 %r2, 0x01000001;\ncvt.rz.f32.u32 %f1, %r2;\nmov.b32 %r9, %f1;",
                bits(16777216.0F)},
        Example{"int_to_float_up", "mov.u32 %r2, 0x01000001;\ncvt.rp.f32.u32 %f1, %r2;\nmov.b32 %r9, %f1;",
                bits(16777218.0F)},
        Example{"double_to_float",
                "mov.f64 %g1, 0d3FB999999999999A;\ncvt.rn.f32.f64 %f1, %g1;\nmov.b32 %r9, %f1;", bits(0.1F)},
        Example{"pack", "mov.u32 %r2, 1;\nmov.u32 %r3, 2;\nmov.b64 %d9, {%r2, %r3};", 0x2'0000'0001, true},
        Example{"unpack", "mov.u64 %d2, 0x200000001;\nmov.b64 {%r2, %r9}, %d2;", 2}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Floating, InstructionTest,
    ::testing::Values(
        Example{"fma_rounds_once",
                "mov.f32 %f1, 0f3F800001;\nfma.rn.f32 %f2, %f1, %f1, 0fBF800002;\nmov.b32 %r9, %f2;",
                bits(0x1p-46F)},
        Example{"add_up", "mov.f32 %f1, 0f3F800000;\nadd.rp.f32 %f2, %f1, 0f00000001;\nmov.b32 %r9, %f2;",
                0x3F80'0001},
        Example{"add_nearest",
                "mov.f32 %f1, 0f3F800000;\nadd.rn.f32 %f2, %f1, 0f00000001;\nmov.b32 %r9, %f2;", 0x3F80'0000},
        Example{"flush", "mov.f32 %f1, 0f00000001;\nadd.ftz.f32 %f2, %f1, 0f00000001;\nmov.b32 %r9, %f2;", 0},
        Example{"subnormal", "mov.f32 %f1, 0f00000001;\nadd.f32 %f2, %f1, 0f00000001;\nmov.b32 %r9, %f2;", 2},
        Example{"saturate", "mov.f32 %f1, 0f40000000;\nadd.sat.f32 %f2, %f1, %f1;\nmov.b32 %r9, %f2;",
                bits(1.0F)},
        Example{"canonical_nan", "mov.f32 %f1, 0f7F800000;\nsub.f32 %f2, %f1, %f1;\nmov.b32 %r9, %f2;",
                0x7FFF'FFFF},
        Example{"min_ignores_nan",
                "mov.f32 %f1, 0f7FC00000;\nmin.f32 %f2, %f1, 0f40000000;\nmov.b32 %r9, %f2;", bits(2.0F)},
        Example{"min_of_zeros", "mov.f32 %f1, 0f00000000;\nmin.f32 %f2, %f1, 0f80000000;\nmov.b32 %r9, %f2;",
                0x8000'0000},
        Example{"div", "mov.f32 %f1, 0f3F800000;\ndiv.rn.f32 %f2, %f1, 0f40400000;\nmov.b32 %r9, %f2;",
                bits(1.0F / 3.0F)},
        Example{"sqrt", "mov.f32 %f1, 0f40000000;\nsqrt.rn.f32 %f2, %f1;\nmov.b32 %r9, %f2;",
                bits(1.41421356F)},
        Example{"ex2", "mov.f32 %f1, 0f40400000;\nex2.approx.f32 %f2, %f1;\nmov.b32 %r9, %f2;", bits(8.0F)},
        Example{"copysign", "mov.f32 %f1, 0fBF800000;\ncopysign.f32 %f2, %f1, 0f40000000;\nmov.b32 %r9, %f2;",
                bits(-2.0F)},
        Example{"setp_unordered",
                "mov.f32 %f1, 0f7FC00000;\nsetp.ltu.f32 %p1, %f1, %f1;\nselp.b32 %r9, 1, 0, %p1;", 1},
        Example{"setp_ordered",
                "mov.f32 %f1, 0f7FC00000;\nsetp.ne.f32 %p1, %f1, %f1;\nselp.b32 %r9, 1, 0, %p1;", 0},
        Example{"set_float", "mov.f32 %f1, 0f3F800000;\nset.eq.f32.f32 %f2, %f1, %f1;\nmov.b32 %r9, %f2;",
                bits(1.0F)},
        Example{"predicate_true", "mov.pred %p1, 1;\nselp.b32 %r9, 1, 0, %p1;", 1},
        Example{"predicate_false", "mov.pred %p1, 0;\nselp.b32 %r9, 1, 0, %p1;", 0},
        Example{"testp", "mov.f32 %f1, 0f7F800000;\ntestp.infinite.f32 %p1, %f1;\nselp.b32 %r9, 1, 0, %p1;",
                1}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    BetweenLanes, InstructionTest,
    ::testing::Values(
        Example{"shuffle_index", "shfl.sync.idx.b32 %r9, %r1, 5, 31, -1;", 5},
        Example{"vote_ballot", "setp.lt.u32 %p1, %r1, 4;\nvote.sync.ballot.b32 %r9, %p1, -1;", 0xF},
        Example{"vote_all",
                "setp.lt.u32 %p1, %r1, 32;\nvote.sync.all.pred %p2, %p1, -1;\nselp.b32 %r9, 1, 0, %p2;", 1},
        Example{"match_all", "mov.u32 %r2, 7;\nmatch.all.sync.b32 %r9|%p1, %r2, -1;", 0xFFFF'FFFF},
        Example{"redux_add", "redux.sync.add.u32 %r9, %r1, -1;", 496},
        Example{"redux_max", "redux.sync.max.s32 %r9, %r1, -1;", 31},
        Example{"active_mask", "activemask.b32 %r9;", 0xFFFF'FFFF},
        Example{"set_combines",
                "setp.lt.u32 %p1, %r1, 64;\nsetp.gt.and.u32 %p2|%p3, %r1, 40, %p1;\nselp.b32 %r9, 0, 1, %p2;",
                1},
        Example{"xor_predicates",
                "setp.lt.u32 %p1, %r1, 64;\nxor.pred %p2, %p1, %p1;\nnot.pred %p3, %p2;\nselp.b32 %r9, 1, 0, "
                "%p3;",
                1}),
    [](const auto& test) { return test.param.name; });

class LogicTest : public DeviceTest {};

TEST_F(LogicTest, OnePredicateMayBeAConstant) {
  // %p1 is true in odd threads. Each line's bit of the result is what its operation gives.
  const char* const kOperations[] = {
      "and.pred %p3, %p1, -1;", "and.pred %p3, %p1, 0;", "or.pred %p3, %p1, 1;",   "or.pred %p3, 0, %p1;",
      "xor.pred %p3, %p1, -1;", "xor.pred %p3, %p1, 0;", "xor.pred %p3, !%p1, 1;", "and.pred %p3, !%p1, 1;"};
  std::string body = "and.b32 %r2, %r1, 1;\nsetp.ne.u32 %p1, %r2, 0;\nmov.u32 %r9, 0;\n";
  for (unsigned k = 0; k < std::size(kOperations); ++k) {
    body += std::string(kOperations[k]) + "\n@%p3 or.b32 %r9, %r9, " + std::to_string(1U << k) + ";\n";
  }
  const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
  run(body + "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\nst.global.u32 [%d2], %r9;", out, 0, 0, {},
      {32, 1, 1});
  const auto seen_by = download<std::uint32_t>(out, 32);
  EXPECT_EQ(seen_by[0], 0b1001'0100U);
  EXPECT_EQ(seen_by[1], 0b0110'1101U);
}

class ShuffleTest : public DeviceTest {};

TEST_F(ShuffleTest, UpKeepsLanesBelowTheDistanceAndSaysSo) {
  const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
  run("shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;\nselp.b32 %r3, 100, 0, %p1;\nadd.u32 %r2, %r2, %r3;\n"
      "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\nst.global.u32 [%d2], %r2;",
      out, 0, 0, {}, {32, 1, 1});
  const auto values = download<std::uint32_t>(out, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(values[lane], lane < 3 ? lane : 100 + lane - 3) << lane;
}

TEST_F(ShuffleTest, SegmentsOfEightStayApart) {
  const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
  // width 8: clamp 31, segment mask (32 − 8) << 8
  run("shfl.sync.down.b32 %r2, %r1, 1, 0x181F, -1;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, "
      "%d2;\nst.global.u32 [%d2], %r2;",
      out, 0, 0, {}, {32, 1, 1});
  const auto values = download<std::uint32_t>(out, 32);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane % 8 == 7 ? lane : lane + 1) << lane;
}

class UnsupportedTest : public DeviceTest {};

TEST_F(UnsupportedTest, NamesTheInstructionAndItsLine) {
  const Device::ModuleId module =
      device.load_ptx(kernel_text("mov.u32 %r2, 1;\ntex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [a, {%r2}];"));
  try {
    device.kernel(module, "kernel");
    FAIL() << "decoded";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), DeviceError::Code::unsupported);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("kernel.cu:2"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("tex.1d.v4.f32.s32"));
  }
}

TEST_F(UnsupportedTest, RefusesAModifierThatItDoesNotKnow) {
  const Device::ModuleId module = device.load_ptx(kernel_text("add.zzz.u32 %r2, %r1, 1;"));
  EXPECT_THROW(device.kernel(module, "kernel"), DeviceError);
}

TEST_F(UnsupportedTest, RefusesOperandsThatItDoesNotLookAt) {
  for (const char* code : {"mul.lo.u32 %r2, %r1, 3, 4;", "mad.lo.u32 %r2, %r1, 3, 4, 5;",
                           "ld.global.u32 %r2, [%d0], 7;", "selp.u32 %r2, 1, 0, %p1, %p1;",
                           "nanosleep.u32 8, 9;", "bar.sync 0, 32, 7, 8, 9;", "membar.gl 1;", "exit 1;"}) {
    EXPECT_THROW(device.kernel(device.load_ptx(kernel_text(code)), "kernel"), DeviceError) << code;
  }
}

TEST_F(UnsupportedTest, NamesMinimumAndMaximumOfThree) {
  for (const char* code : {"min.f32 %f1, %f2, %f3, %f4;", "max.f32 %f1, %f2, %f3, %f4;"}) {
    const Device::ModuleId module = device.load_ptx(kernel_text(code));
    try {
      device.kernel(module, "kernel");
      FAIL() << "decoded";
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code(), DeviceError::Code::unsupported) << code;
      EXPECT_THAT(error.what(), ::testing::HasSubstr(std::string(code, std::strlen("min.f32")))) << code;
    }
  }
}

TEST_F(UnsupportedTest, RefusesMoreCodeThanItDecodesInASecond) {
  const auto lines = [](std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += "add.u32 %r2, %r2, 1;\n";
    return text;
  };
  const std::string function = ".func callee()\n{\n.reg .b32 %r<3>;\n" + lines(200'000) + "ret;\n}\n";
  EXPECT_NO_THROW(device.kernel(device.load_ptx(kernel_text("call callee;", function)), "kernel"));
  const Device::ModuleId both = device.load_ptx(kernel_text(lines(100'000) + "call callee;", function));
  EXPECT_THROW(device.kernel(both, "kernel"), DeviceError);
}

}  // namespace
}  // namespace lockstep::emulator
