// What an H200 makes of operands where IEEE 754 and the PTX ISA leave a choice, or where this device once
// chose otherwise: recorded by the differential suite (tests/differential).
#include "exact_arithmetic.h"

namespace lockstep::emulator {
namespace {

struct Recorded {
  const char* type;
  const char* instruction;
  const char* result;  ///< its type
  Operands operands;
  std::uint64_t expected;
};

class RecordedResultTest : public ArithmeticTest, public ::testing::WithParamInterface<Recorded> {};

TEST_P(RecordedResultTest, IsTheGpus) {
  const Recorded& recorded = GetParam();
  EXPECT_EQ(
      apply(with_registers(recorded.type, recorded.instruction, recorded.result), {recorded.operands})[0],
      recorded.expected)
      << recorded.instruction;
}

constexpr std::uint64_t kQuiet64 = 0x7FF8'0000'0000'0000, kPayload64 = 0xFFF8'0000'0000'0005,
                        kSignalling64 = 0x7FF0'0000'0000'0001;

INSTANTIATE_TEST_SUITE_P(
    NanOfDoubles, RecordedResultTest,
    ::testing::Values(Recorded{"f64", "add.f64 D, A, B;", "f64", {kPayload64, kQuiet64, 0}, kQuiet64},
                      Recorded{"f64", "sub.f64 D, A, B;", "f64", {kQuiet64, kPayload64, 0}, kPayload64},
                      Recorded{"f64", "mul.f64 D, A, B;", "f64", {kQuiet64, kSignalling64, 0}, kQuiet64 | 1},
                      Recorded{"f64", "mul.f64 D, A, B;", "f64", {kSignalling64, 0, 0}, kQuiet64 | 1},
                      Recorded{"f64", "fma.rn.f64 D, A, B, C;", "f64", {kQuiet64, 0, kPayload64}, kPayload64},
                      Recorded{"f64", "fma.rn.f64 D, A, B, C;", "f64", {0, kQuiet64, kPayload64}, kQuiet64},
                      Recorded{"f64", "abs.f64 D, A;", "f64", {kPayload64, 0, 0}, kPayload64},
                      Recorded{"f64", "neg.f64 D, A;", "f64", {kSignalling64, 0, 0}, kQuiet64 | 1}));

INSTANTIATE_TEST_SUITE_P(
    NanOfOthers, RecordedResultTest,
    ::testing::Values(Recorded{"f32", "abs.f32 D, A;", "f32", {0xFFC0'0005, 0, 0}, 0x7FFF'FFFF},
                      Recorded{"f32", "neg.ftz.f32 D, A;", "f32", {0x7F80'0001, 0, 0}, 0x7FFF'FFFF},
                      Recorded{"f16", "neg.f16 D, A;", "f16", {0xFE05, 0, 0}, 0x7FFF},
                      Recorded{"bf16", "abs.bf16 D, A;", "bf16", {0x7F81, 0, 0}, 0x7FFF}));

INSTANTIATE_TEST_SUITE_P(
    NanConverted, RecordedResultTest,
    ::testing::Values(
        Recorded{"f32", "cvt.rzi.s32.f32 D, A;", "b32", {0x7FC0'0000, 0, 0}, 0},
        Recorded{"f32", "cvt.rzi.s64.f32 D, A;", "b64", {0x7FC0'0000, 0, 0}, 0x8000'0000'0000'0000},
        Recorded{"f32", "cvt.rni.u64.f32 D, A;", "b64", {0x7FC0'0000, 0, 0}, 0x8000'0000'0000'0000},
        Recorded{"f64", "cvt.rzi.u32.f64 D, A;", "b32", {kQuiet64, 0, 0}, 0x8000'0000},
        Recorded{"f64", "cvt.rzi.s16.f64 D, A;", "b16", {kQuiet64, 0, 0}, 0x8000},
        Recorded{"f64", "cvt.rn.f32.f64 D, A;", "f32", {0xFFF8'0000'A000'0000, 0, 0}, 0xFFC0'0005},
        Recorded{"f64", "cvt.rn.f16.f64 D, A;", "f16", {0xFFF8'1400'0000'0000, 0, 0}, 0xFE05},
        Recorded{"f32", "cvt.f64.f32 D, A;", "f64", {0x7F80'0001, 0, 0}, 0x7FF8'0000'2000'0000},
        Recorded{"f32", "cvt.ftz.f64.f32 D, A;", "f64", {0x7F80'0001, 0, 0}, 0x7FFF'FFFF'E000'0000},
        Recorded{"f32", "cvt.ftz.f32.f32 D, A;", "f32", {0x7FC0'0000, 0, 0}, 0x7FFF'FFFF},
        Recorded{"f16", "cvt.f64.f16 D, A;", "f64", {0xFE05, 0, 0}, 0xFFF8'1400'0000'0000},
        Recorded{"bf16", "cvt.f32.bf16 D, A;", "f32", {0x7F81, 0, 0}, 0x7F81'0000},
        Recorded{"f32", "cvt.rna.tf32.f32 D, A;", "b32", {0xFFBF'FFFF, 0, 0}, 0xFFBF'E000}));

/// Whole numbers and doubles that saturate to [0, 1].
INSTANTIATE_TEST_SUITE_P(
    Saturated, RecordedResultTest,
    ::testing::Values(
        Recorded{"f32", "cvt.sat.f64.f32 D, A;", "f64", {0x3FC0'0000, 0, 0}, 0x3FF0'0000'0000'0000},
        Recorded{"f32", "cvt.sat.f64.f32 D, A;", "f64", {0x7FC0'0000, 0, 0}, 0},
        Recorded{"b32", "cvt.rn.sat.f32.s32 D, A;", "f32", {7, 0, 0}, 0x3F80'0000},
        Recorded{"b32", "cvt.rn.sat.f32.s32 D, A;", "f32", {0xFFFF'FFFF, 0, 0}, 0}));

/// A result that rounding brings to the least normal number is flushed if it is subnormal before.
INSTANTIATE_TEST_SUITE_P(
    Flushed, RecordedResultTest,
    ::testing::Values(
        Recorded{"f32", "mul.ftz.f32 D, A, B;", "f32", {0x3F7F'FFFF, 0x0080'0000, 0}, 0},
        Recorded{"f32", "mul.f32 D, A, B;", "f32", {0x3F7F'FFFF, 0x0080'0000, 0}, 0x0080'0000},
        Recorded{"f32", "mul.rm.ftz.f32 D, A, B;", "f32", {0xBF00'0000, 0x00FF'FFFF, 0}, 0x8000'0000},
        Recorded{"f32", "div.rp.ftz.f32 D, A, B;", "f32", {0x0080'0000, 0x3F80'0001, 0}, 0},
        Recorded{"f32", "fma.rn.ftz.f32 D, A, B, C;", "f32", {0x8080'0000, 0x3F7F'FFFF, 0x00FF'FFFF}, 0},
        Recorded{"f16", "mul.ftz.f16 D, A, B;", "f16", {0x3BFF, 0x0400, 0}, 0},
        Recorded{"f16", "fma.rn.ftz.f16 D, A, B, C;", "f16", {0x3BFF, 0x8400, 0x07FF}, 0x0000}));

INSTANTIATE_TEST_SUITE_P(
    Others, RecordedResultTest,
    ::testing::Values(
        Recorded{"f32", "testp.normal.f32 %p1, A;\nselp.b32 D, 1, 0, %p1;", "b32", {0x8000'0000, 0, 0}, 1},
        Recorded{"f32", "div.approx.f32 D, A, B;", "f32", {0xBF80'0000, 0x7F7F'FFFF, 0}, 0x8000'0000},
        Recorded{"f32", "div.approx.f32 D, A, B;", "f32", {0x7F80'0000, 0x7F7F'FFFF, 0}, 0x7FFF'FFFF},
        Recorded{"b32", "vset2.s32.s32.lt D, A, B, C;", "b32", {0x0001'FFFF, 0x0000'0001, 0}, 1},
        Recorded{"b32", "vset4.u32.u32.eq.add D, A, B, C;", "b32", {0x0102'0304, 0x0102'0505, 40}, 42},
        Recorded{"b32", "sub.cc.u32 D, A, B;\naddc.u32 D, 0, 0;", "b32", {5, 3, 0}, 1},
        Recorded{"b32", "sub.cc.u32 D, A, B;\naddc.u32 D, 0, 0;", "b32", {3, 5, 0}, 0},
        Recorded{"b32", "sub.cc.u32 D, A, B;\nsubc.u32 D, 0, 0;", "b32", {3, 5, 0}, 0xFFFF'FFFF}));

}  // namespace
}  // namespace lockstep::emulator
